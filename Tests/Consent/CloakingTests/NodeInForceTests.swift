import Base
import GNSS
import Testing

@testable import Cloaking

private let home = Coordinate(latitude: 47.3767, longitude: 8.5417)!
private let away = Coordinate(latitude: 47.9, longitude: 9.2)!
private let start = UTCTime(
  date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 31, second: 0)!)

/// A cloak with times relative to the start of its run.
private struct Run {
  var cloak: Cloak
  let first: UTCTime

  init(memory: Cloak.Memory = Cloak.Memory(), boot: String = "1", from first: UTCTime = start) throws {
    cloak = Cloak(key: try CloakKey(deviceKey: Array(repeating: 7, count: 32)), memory: memory, boot: boot)
    self.first = first
  }

  func utc(_ time: Duration) -> UTCTime {
    UTCTime(nanosecondsSince1970: first.nanosecondsSince1970 + time.clampedNanoseconds)
  }

  @discardableResult
  mutating func advance(_ time: Duration, _ position: Coordinate?) -> Bool {
    cloak.advance(to: MonotonicInstant(nanoseconds: 0) + time, utc: utc(time), position)
  }

  mutating func press(_ time: Duration, _ position: Coordinate) -> ReducedFix {
    cloak.reduce(position, at: MonotonicInstant(nanoseconds: 0) + time, utc: utc(time))!
  }

  /// The end of the current slot, relative to the start of the run.
  var slotEnd: Duration { cloak.slotEnd! - MonotonicInstant(nanoseconds: 0) }

  func position(_ time: Duration) -> String? {
    cloak.fixInForce(utc: utc(time)).map { "\($0.latitude) \($0.longitude)" }
  }
}

private func position(_ fix: ReducedFix) -> String { "\(fix.latitude) \(fix.longitude)" }

@Test func `the first node is in force only from the next slot boundary on, independently of the time of the fix`()
  throws
{
  var run = try Run()
  #expect(run.advance(.zero, home) == false)
  #expect(run.position(.zero) == nil)
  let end = run.slotEnd
  #expect(run.advance(end - .nanoseconds(1), home) == false)
  #expect(run.position(end) == nil)
  #expect(run.advance(end, home) == true)
  #expect(run.position(end) != nil)
}

@Test func `after a suspension, a press gives the node of the slot only if it still fits, and a day ends its validity`()
  throws
{
  for (hours, present, isSame, isInForce) in [(8, home, true, true), (8, away, false, true), (25, home, true, false)] {
    var run = try Run()
    run.advance(.zero, home)
    let end = run.slotEnd
    run.advance(end, home)
    let node = try #require(run.position(end))
    let slept = Duration.seconds(3600 * hours)
    let (now, utc) = (MonotonicInstant(nanoseconds: 0) + end + .seconds(60), run.utc(end + slept))
    run.cloak.noteSuspension(at: now, utc: utc)
    let fix = run.cloak.reduce(present, at: now, utc: utc)
    #expect(fix.map(position) == (isSame ? node : nil), "\(hours) h")
    // The first press decides for the rest of the slot.
    #expect((run.cloak.reduce(home, at: now, utc: utc) != nil) == isSame)
    #expect((run.cloak.fixInForce(utc: utc) != nil) == isInForce, "\(hours) h")
  }
}

@Test(arguments: [true, false])
func `after a restart of the daemon, the node of a press is in force from the next slot on, and not before`(
  hasNode: Bool
) throws {
  var run = try Run()
  run.advance(.zero, nil)
  run.advance(run.slotEnd, hasNode ? home : nil)
  // Without a fix at the beginning of the slot, the press chooses the node.
  let begin = run.slotEnd
  run.advance(begin, nil)
  let before = run.position(begin)
  let fix = run.press(begin + .seconds(1), away)
  #expect(run.position(begin + .seconds(1)) == before && (before != nil) == hasNode)
  #expect(before != position(fix))

  let memory = try #require(Cloak.Memory(encoded: run.cloak.memory.encoded()))
  var next = try Run(memory: memory)
  next.advance(begin + .seconds(2), home)
  #expect(next.position(begin + .seconds(2)) == before)
  let again = next.press(begin + .seconds(3), home)
  #expect(position(again) == position(fix))
  #expect(next.position(begin + .seconds(3)) == before)
  next.advance(next.slotEnd, nil)
  #expect(next.position(next.slotEnd) == position(fix))

  // The daemon does not run at the beginning of the next slot.
  var late = try Run(memory: memory)
  late.advance(run.slotEnd + .seconds(300), nil)
  #expect(late.position(run.slotEnd + .seconds(300)) == position(fix))
  // Without a restart, the same happens.
  run.advance(run.slotEnd, nil)
  #expect(run.position(run.slotEnd) == position(fix))
}

@Test func `without a fix, the node stays in force for 24 h and expires at a slot boundary`() throws {
  var run = try Run()
  run.advance(.zero, nil)
  let evaluated = run.slotEnd
  run.advance(evaluated, home)
  let node = run.position(evaluated)
  #expect(node != nil)
  for slot in 1...96 {
    run.advance(evaluated + .seconds(900 * slot), nil)
    #expect(run.position(evaluated + .seconds(900 * slot)) == node)
  }
  #expect(run.position(evaluated + .seconds(86_400 + 899)) == node, "the node expires only at a slot boundary")
  run.advance(evaluated + .seconds(86_400 + 900), nil)
  #expect(run.position(evaluated + .seconds(86_400 + 900)) == nil)
}

@Test(arguments: [(Duration.nanoseconds(-1), true), (.zero, false)])
func `after a restart of the machine, the node is in force if it is at most 24 h old`(
  afterEnd: Duration, isInForce: Bool
) throws {
  var run = try Run()
  run.advance(.zero, nil)
  // The node expires at a slot boundary.
  let pause = run.slotEnd + .seconds(86_400) + afterEnd
  _ = run.press(.zero, home)
  var next = try Run(
    memory: run.cloak.memory, boot: "2",
    from: UTCTime(nanosecondsSince1970: start.nanosecondsSince1970 + pause.clampedNanoseconds))
  next.advance(.zero, away)
  #expect((next.position(.zero) != nil) == isInForce)
  // A press does not make an old node valid again.
  _ = next.press(.seconds(1000), away)
  #expect(next.position(.seconds(1000)) == nil)
}

@Test func `a slot whose beginning was missed causes no evaluation for standing requests`() throws {
  var run = try Run()
  run.advance(.zero, nil)
  #expect(run.advance(run.slotEnd + .seconds(300), home) == false)
  #expect(run.position(.seconds(1500)) == nil)
  #expect(run.advance(run.slotEnd, home) == true)
  #expect(run.position(.seconds(2000)) != nil)
}
