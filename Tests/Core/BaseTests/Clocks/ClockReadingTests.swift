import Base
import Testing

private func reading(_ monotonic: Int64, _ utc: Int64, suspended: Int64 = 0) -> ClockReading {
  ClockReading(
    monotonic: MonotonicInstant(nanoseconds: monotonic), utc: UTCTime(nanosecondsSince1970: utc),
    suspended: .nanoseconds(suspended))
}

@Test func `a reading converts the times of three clocks`() {
  let reading = reading(1000, 5000, suspended: 300)
  #expect(reading.boot == BootInstant(nanoseconds: 1300))
  #expect(reading.utc(at: MonotonicInstant(nanoseconds: 400)).nanosecondsSince1970 == 4400)
  #expect(reading.utc(at: BootInstant(nanoseconds: 1500)).nanosecondsSince1970 == 5200)
  #expect(reading.instant(at: UTCTime(nanosecondsSince1970: 4400)) == MonotonicInstant(nanoseconds: 400))
}

@Test func `a conversion beyond the range of a clock gives the end of the range`() {
  let (first, last) = (MonotonicInstant(nanoseconds: .min), MonotonicInstant(nanoseconds: .max))
  let (oldest, newest) = (UTCTime(nanosecondsSince1970: .min), UTCTime(nanosecondsSince1970: .max))
  #expect(reading(1000, 5000).utc(at: last) == newest && reading(-1000, -5000).utc(at: first) == oldest)
  #expect(reading(1000, -5000).instant(at: newest) == last && reading(-1000, 5000).instant(at: oldest) == first)
}

@Test func `instants of the clock with suspended time are ordered, and differ by durations`() {
  let (early, late) = (BootInstant(nanoseconds: -5), BootInstant(nanoseconds: 2))
  #expect(early < late && !(late < early) && late - early == .nanoseconds(7) && early + .nanoseconds(7) == late)
  #expect(BootInstant(nanoseconds: .max) + .nanoseconds(1) == BootInstant(nanoseconds: .max))
}
