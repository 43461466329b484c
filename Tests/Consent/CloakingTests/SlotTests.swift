import Base
import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

@Test(arguments: 0..<20)
func `every request in a slot gets the same answer, at any position`(seed: UInt64) throws {
  var device = try Device(seed: seed)
  var generator = SplitMix64(seed: seed)
  _ = device.ask(.munich)
  for _ in 0..<10 {
    let first = device.nextSlot(generator.position())
    let (uptime, wallClock) = (device.uptime, device.wallClock)
    for _ in 0..<50 {
      device.uptime = uptime + generator.metres(-800...0)
      let again = device.ask(generator.position())
      #expect((again.latitude, again.longitude) == (first.latitude, first.longitude))
    }
    (device.uptime, device.wallClock) = (uptime, wallClock)
  }
}

/// The phase was computed from RFC 5869 and RFC 2104 by another program: 0.00819 of a quarter hour.
@Test func `a device has the same phase in every release`() throws {
  var cloak = Cloak(key: try CloakKey(deviceKey: Array(0..<32)), memory: Cloak.Memory(), boot: "1")
  let quarterHour = UTCTime(nanosecondsSince1970: 1_795_246_200_000_000_000)
  cloak.advance(to: MonotonicInstant(nanoseconds: 0), utc: quarterHour, nil)
  #expect(cloak.slotEnd == MonotonicInstant(nanoseconds: 7_369_674_208))
}

@Test(arguments: 0..<20)
func `a run never has more evaluations than slots, however the clocks jump`(seed: UInt64) throws {
  var device = try Device(seed: seed)
  var generator = SplitMix64(seed: seed)
  var (evaluations, furthest) = (1, 0.0)
  var last = device.ask(generator.position()).coordinate
  for _ in 0..<2000 {
    device.wallClock += generator.metres(-10_000...10_000)
    device.uptime = furthest + generator.metres(-2000...300)
    furthest = max(furthest, device.uptime)
    let answer = device.ask(generator.position()).coordinate
    if answer != last { evaluations += 1 }
    last = answer
    #expect(Double(evaluations) <= furthest / 900 + 2)
  }
  #expect(evaluations > 10)
}

@Test func `after a restart of the daemon, the slots continue as without the restart, whatever the date is`() throws {
  var (restarted, steady) = (try Device(seed: 6), try Device(seed: 6))
  var generator = SplitMix64(seed: 6)
  for _ in 0..<500 {
    let (position, pause) = (generator.positionInTown(), generator.metres(0...2000))
    #expect(restarted.ask(position).coordinate == steady.ask(position).coordinate)
    restarted.wait(pause)
    steady.wait(pause)
    // A multiple of 15 minutes has no effect on the alignment of the slots.
    restarted.wallClock += [-86_400, 0, 900, 7200].randomElement(using: &generator)!
    try restarted.restart()
  }
}

@Test(arguments: [0, 600, 899, 1000], [-900, 0, 900, 86_400, 1e8])
func `after a restart of the machine, the answer stays for its slot, and the first press decides whether it is given`(
  waited: Double, off: Double
) throws {
  var device = try Device(seed: 8)
  let elsewhere = Coordinate.munich.moved(east: 100_000, north: 0)
  let first = device.ask(.munich).coordinate
  let end = try #require(device.cloak.slotEnd)
  // The last answer of the slot is saved with the time that has passed.
  device.wait(min(waited, (end - device.instant) / .seconds(1) - 1))
  #expect(device.ask(.munich).coordinate == first)
  let rest = min((end - device.instant) / .seconds(1), 900)
  device.wallClock += off
  for isElsewhere in [true, false] {
    var device = device
    try device.reboot()
    while device.uptime < rest {
      // The answer is true at the place of the first press, or false.
      for position in [isElsewhere ? elsewhere : .munich, .munich, elsewhere] {
        #expect(device.answer(position)?.coordinate == (isElsewhere ? nil : first))
      }
      device.wait(30)
    }
    #expect(device.answer(elsewhere)?.coordinate.distance(to: elsewhere) ?? .infinity < 6000)
  }
}

@Test func `the memory of an earlier version counts as a memory of an earlier boot`() throws {
  var device = try Device(seed: 10)
  let elsewhere = Coordinate.munich.moved(east: 100_000, north: 0)
  _ = device.ask(.munich)
  // An earlier version has no slot after the second byte, and no node in force.
  var saved = device.cloak.memory
  saved.inForce = saved.node
  var bytes = saved.encoded()
  bytes[1] = 1
  bytes.removeSubrange(2..<2 + device.cloak.memory.present.encoded.count)
  let memory = try #require(Cloak.Memory(encoded: bytes))
  for (uptime, hasAnswer) in [(0.0, false), (899, false), (900, true)] {
    device.cloak = Cloak(key: device.key, memory: memory, boot: "1")
    device.uptime = uptime
    #expect((device.answer(elsewhere) != nil) == hasAnswer, "\(uptime) s")
  }
}

@Test(arguments: 0..<20)
func `no three evaluations are within 15 minutes, whatever clocks and restarts do`(seed: UInt64) throws {
  var device = try Device(seed: seed)
  var generator = SplitMix64(seed: seed)
  // The seconds during which the machine was on, when the app received a node for the first time.
  var (on, times, nodes) = (0.0, [Double](), Set<Coordinate>())
  for _ in 0..<3000 {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: device.wallClock += generator.metres(-10_000...10_000)
    case 1: try device.restart()
    case 2:
      let uptime = generator.metres(5...60)
      on += uptime
      try device.reboot(uptime: uptime)
    case 3, 4:
      // The end of a slot, with a fix. No app receives the node.
      guard let end = device.cloak.slotEnd, end > device.instant, Bool.random(using: &generator) else { break }
      let pause = (end - device.instant) / .seconds(1) + 1e-6
      device.wait(pause)
      on += pause
      device.cloak.advance(to: device.instant, utc: device.utc, generator.position())
    default:
      let pause = generator.metres(0...300)
      device.wait(pause)
      on += pause
      guard let answer = device.answer(generator.position()) else { break }
      if nodes.insert(answer.coordinate).inserted { times.append(on) }
    }
  }
  #expect(times.count > 50)
  #expect(zip(times, times.dropFirst(2)).allSatisfy { $1 - $0 >= 900 })
}

@Test(arguments: [.min, .min + 1, .min + 900_000_000_000, -9_223_372_036_000_000_000, .max] as [Int64])
func `a date at an end of the range has a slot, with every phase`(nanoseconds: Int64) throws {
  for seed in 0..<100 as Range<UInt64> {
    var device = try Device(seed: seed)
    let utc = UTCTime(nanosecondsSince1970: nanoseconds)
    _ = device.cloak.reduce(.munich, at: MonotonicInstant(nanoseconds: nanoseconds), utc: utc)
    #expect(Cloak.Memory(encoded: device.cloak.memory.encoded()) == device.cloak.memory)
  }
}

@Test(arguments: [
  ("2026-11-21", 7, 31, 34, "2026-11-21T07:30:00.000Z"), ("2026-11-21", 7, 30, 0, "2026-11-21T07:30:00.000Z"),
  ("2026-11-21", 7, 29, 59, "2026-11-21T07:15:00.000Z"), ("2016-12-31", 23, 59, 60, "2016-12-31T23:45:00.000Z"),
  ("0001-01-01", 0, 0, 1, "0001-01-01T00:00:00.000Z"), ("9999-12-31", 23, 59, 59, "9999-12-31T23:45:00.000Z"),
])
func `the time of a fix is the quarter hour at or before the disclosure`(
  day: String, hour: Int, minute: Int, second: Int, shown: String
) throws {
  let parts = day.split(separator: "-").compactMap { Int($0) }
  let utc = UTCTime(
    date: try #require(UTCDate(year: parts[0], month: parts[1], day: parts[2])),
    timeOfDay: try #require(TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: 999_999_999)))
  for instant in [Int64.min, -1, 0, .max] {
    var device = try Device(seed: 8)
    #expect(device.cloak.reduce(.munich, at: MonotonicInstant(nanoseconds: instant), utc: utc)?.time.iso8601 == shown)
    #expect(device.cloak.reduce(.munich, at: MonotonicInstant(nanoseconds: .max), utc: utc)?.time.iso8601 == shown)
  }
}
