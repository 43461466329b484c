/// Both clocks read at one moment, so that a time of one can be said in the other.
public struct ClockReading: Hashable, Sendable {
  /// The monotonic clock.
  public var monotonic: MonotonicInstant
  /// The wall clock, at the same moment.
  public var utc: UTCTime

  /// Both, as they were read.
  public init(monotonic: MonotonicInstant, utc: UTCTime) {
    self.monotonic = monotonic
    self.utc = utc
  }

  /// The wall clock's time at an instant, as far as this reading tells.
  public func utc(at instant: MonotonicInstant) -> UTCTime {
    let offset = (instant - monotonic).clampedNanoseconds
    let (sum, overflow) = utc.nanosecondsSince1970.addingReportingOverflow(offset)
    return UTCTime(nanosecondsSince1970: overflow ? (offset < 0 ? .min : .max) : sum)
  }

  /// The instant at which the wall clock showed, or will show, a time.
  public func instant(at time: UTCTime) -> MonotonicInstant {
    let (difference, overflow) = time.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
    return monotonic + .nanoseconds(overflow ? (time < utc ? Int64.min : .max) : difference)
  }
}
