import Clocks
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

@Test(arguments: 0..<10)
func `slots last 15 minutes and have a secret phase`(seed: UInt64) throws {
  var device = try Device(seed: seed, wallClock: 1_795_246_200)
  var generator = SplitMix64(seed: seed)
  var starts: [Double] = []
  var last = device.ask(.munich).coordinate
  for _ in 0..<4000 {
    device.wait(1)
    let answer = device.ask(generator.position()).coordinate
    if answer != last { starts.append(device.wallClock) }
    last = answer
  }
  #expect(starts.count >= 4)
  #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 == 900 })
  let expected = device.key.draw(.slotPhase).0 * 900
  #expect(abs(starts[0].truncatingRemainder(dividingBy: 900) - expected) <= 1)
}

@Test func `two devices have different phases`() throws {
  let phases = try (0..<100).map { try Device(seed: $0).key.draw(.slotPhase).0 * 900 }
  #expect(Set(phases.map { Int($0 / 90) }).count == 10)
}

@Test(arguments: [-1e8, -86_400, -900, -1, 0, 1, 900, 3600, 86_400, 1e8])
func `a step of the wall clock starts no slot`(step: Double) throws {
  var device = try Device(seed: 3)
  var generator = SplitMix64(seed: 3)
  _ = device.ask(.munich)
  let first = device.nextSlot(.munich).coordinate
  for _ in 0..<20 {
    device.wallClock += step
    #expect(device.ask(generator.position()).coordinate == first)
  }
  // After a step of the wall clock, the end of the slot stays the same.
  let elsewhere = generator.position()
  #expect(device.nextSlot(elsewhere).coordinate.distance(to: elsewhere) < 6000)
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

@Test func `a restart in the same slot causes no evaluation`() throws {
  var device = try Device(seed: 5)
  _ = device.ask(.munich)
  let first = device.nextSlot(.munich)
  for _ in 0..<100 {
    try device.restart()
    #expect(device.ask(.munich.moved(east: 50_000, north: 0)) == first)
  }
}

@Test func `a restart in a later slot causes an evaluation, and its slots align with the previous run`() throws {
  var (restarted, steady) = (try Device(seed: 6), try Device(seed: 6))
  var generator = SplitMix64(seed: 6)
  for _ in 0..<500 {
    let (position, pause) = (generator.positionInTown(), generator.metres(0...2000))
    #expect(restarted.ask(position) == steady.ask(position))
    restarted.wait(pause)
    steady.wait(pause)
    try restarted.restart()
  }
}

@Test(arguments: [-1_795_246_294, -1e8, -86_400, -900] as [Double])
func `after a restart with an earlier date, the answer stays until that slot has ended`(step: Double) throws {
  var device = try Device(seed: 7)
  _ = device.ask(.munich)
  let first = device.nextSlot(.munich).coordinate
  device.wallClock += step
  let elsewhere = Coordinate.munich.moved(east: 100_000, north: 0)
  for _ in 0..<50 {
    try device.restart()
    #expect(device.ask(elsewhere).coordinate == first)
  }
  #expect(device.nextSlot(elsewhere).coordinate.distance(to: elsewhere) < 6000)
  // The wrong date is accepted here, so after another restart the correct date is in a later slot.
  device.wallClock -= step
  try device.restart()
  #expect(device.ask(.munich).coordinate.distance(to: .munich) < 6000)
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
    #expect(device.cloak.reduce(.munich, at: MonotonicInstant(nanoseconds: instant), utc: utc).time.iso8601 == shown)
    #expect(device.cloak.reduce(.munich, at: MonotonicInstant(nanoseconds: .max), utc: utc).time.iso8601 == shown)
  }
}
