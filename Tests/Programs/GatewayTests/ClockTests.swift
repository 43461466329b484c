import Authorization
import Base
import LineProtocol
import Requirements
import Testing

@testable import Gateway

private let boot = UTCTime(
  date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 0, second: 0)!)

/// Returns the readings of the clocks some hours and nanoseconds after the start.
/// - Parameters:
///   - ahead: The hours by which the wall clock is ahead.
///   - suspended: The hours for which the machine was suspended.
private func reading(_ hours: Int, _ nanoseconds: Int = 0, ahead: Int = 0, suspended: Int = 0) -> ClockReading {
  let start = ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: boot)
  let now = start.monotonic + .seconds(hours * 3600) + .nanoseconds(nanoseconds)
  var reading = ClockReading(monotonic: now, utc: start.utc(at: now + .seconds(ahead * 3600)))
  reading.suspended = .seconds(suspended * 3600)
  return reading
}

@Test(
  arguments: [
    ((0..<24).map { reading($0) } + [reading(24, -1)], [reading(24)]),
    // A drift is no step.
    ([reading(0, ahead: 24 * 365 * 30), reading(20), reading(44, -1)], [reading(44), reading(45, ahead: 1)]),
    ([reading(0)], [ClockReading(monotonic: reading(24).monotonic, utc: time(25))]),
    ([reading(0), ClockReading(monotonic: reading(24).monotonic, utc: time(25, 1))], []),
    // A suspension of the machine is no step.
    ([reading(0)], [reading(24, ahead: 10, suspended: 10)]),
  ] as [([ClockReading], [ClockReading])])
func `an unconfirmed clock is trusted after a day without a step of more than an hour`(
  early: [ClockReading], late: [ClockReading]
) {
  var trust = ClockTrust()
  let trusted = (early + late).map { trust.trusts($0, received: nil) }
  #expect(trusted == early.map { _ in false } + late.map { _ in true })
}

@Test func `the receiver's time confirms only a clock that is at most a day off`() {
  var trust = ClockTrust()
  #expect(trust.trusts(reading(0), received: reading(24).utc) == true)
  #expect(trust.trusts(reading(0), received: reading(24, 1).utc) == false)
  #expect(trust.trusts(reading(0, ahead: 24 * 365 * 30), received: boot) == false)
  // Not even after the day of a clock that nothing confirms.
  #expect(trust.trusts(reading(25, ahead: 24 * 365 * 30), received: boot) == false)
  // After a contradiction, the day of a clock that nothing confirms begins again.
  #expect(trust.trusts(reading(49, -1, ahead: 24 * 365 * 30), received: nil) == false)
  #expect(trust.trusts(reading(49, ahead: 24 * 365 * 30), received: nil) == true)
}

@Test func `every date is valid, however far away`() {
  var trust = ClockTrust()
  let extremes = [Int64.min, 0, .max].map { UTCTime(nanosecondsSince1970: $0) }
  for utc in extremes {
    for received in extremes {
      let now = ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: utc)
      #expect(trust.trusts(now, received: received) == (utc == received))
    }
  }
}

private let hour: Int64 = 3_600_000_000_000

/// Returns a time some hours and nanoseconds after the boot.
private func time(_ hours: Int64, _ nanoseconds: Int64 = 0) -> UTCTime {
  UTCTime(nanosecondsSince1970: boot.nanosecondsSince1970 + hours * hour + nanoseconds)
}

@Test(
  arguments: [
    (boot, nil, nil, nil),
    (UTCTime(nanosecondsSince1970: 0), nil, nil, .unset),
    // The image of an overlay begins each start with the same time.
    (boot, time(1), nil, .unset),
    (boot, time(-1), nil, nil),
    (boot, time(0, 60_000_000_000), nil, nil), (boot, time(0, 60_000_000_001), nil, .unset),
    (boot, nil, time(1), nil), (boot, nil, time(1, 1), .differs), (boot, nil, time(-1, -1), .differs),
    (UTCTime(nanosecondsSince1970: 0), nil, boot, .unset),
    // The receiver confirms a clock, also if the clock was ahead when an anchor was written.
    (boot, time(9), boot, nil),
  ] as [(UTCTime, UTCTime?, UTCTime?, ClockFault?)])
func `a clock is wrong before 2026, before the latest anchor, and an hour apart from the receiver`(
  clock: UTCTime, anchored: UTCTime?, received: UTCTime?, fault: ClockFault?
) {
  let now = ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: clock)
  #expect(ClockFault(now, anchored: anchored, received: received) == fault)
}

@Test(.patient, arguments: [true, false])
func `owners are warned if a clock gets the time while an app has less than full accuracy, also without a saved record`(
  hasClock: Bool
) async throws {
  let policy = Policy { $0.authorization.newAppAccuracy[parks] = .reduced }
  try await Bench(policy: policy, clocks: hasClock ? [RecordingClock()] : [], warnings: ["gpsd-beside"]).run { bench in
    let (usual, warned) = ("gpsd-beside", hasClock ? "gpsd-beside,clock-reduced" : "gpsd-beside")
    #expect(await bench.gateway.ownerStatus["warnings"] == warned)
    for (accuracy, warnings) in [(FixAccuracy.full, usual), (.place, warned), (.reduced, warned), (.full, usual)] {
      await bench.gateway.handle(.ordered(.setAccuracy(parks, accuracy)))
      #expect(await bench.gateway.ownerStatus["warnings"] == warnings)
    }
  }
}
