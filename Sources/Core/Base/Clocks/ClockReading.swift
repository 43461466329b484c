/// The times of the monotonic clock and the wall clock at one instant. The pair converts times of one clock to times of
/// the other.
public struct ClockReading: Hashable, Sendable {
  /// The time of the monotonic clock (`CLOCK_MONOTONIC`) at the instant of the reading.
  public var monotonic: MonotonicInstant
  /// The time of the wall clock in UTC at the instant of the reading.
  public var utc: UTCTime
  /// The total time for which the machine was suspended since its boot. The monotonic clock does not count this time.
  public var suspended: Duration

  /// Creates a reading from the times of both clocks at the same instant.
  public init(monotonic: MonotonicInstant, utc: UTCTime, suspended: Duration = .zero) {
    self.monotonic = monotonic
    self.utc = utc
    self.suspended = suspended
  }

  /// The time of `CLOCK_BOOTTIME` at the instant of the reading. This clock also counts while the machine is suspended.
  public var boot: BootInstant { BootInstant(nanoseconds: (monotonic + suspended).nanoseconds) }

  /// Returns the wall clock's time at an instant of `CLOCK_BOOTTIME`, which also counts while the machine is suspended.
  public func utc(at instant: BootInstant) -> UTCTime { utc(at: monotonic + (instant - boot)) }

  /// Returns the wall clock's time at an instant of the monotonic clock. The result is wrong if the wall clock is set
  /// between this reading and the instant.
  public func utc(at instant: MonotonicInstant) -> UTCTime {
    let offset = (instant - monotonic).clampedNanoseconds
    let (sum, overflow) = utc.nanosecondsSince1970.addingReportingOverflow(offset)
    return UTCTime(nanosecondsSince1970: overflow ? (offset < 0 ? .min : .max) : sum)
  }

  /// Returns the instant of the monotonic clock at which the wall clock shows the given time. The result is wrong if
  /// the wall clock is set between this reading and that time.
  public func instant(at time: UTCTime) -> MonotonicInstant {
    let (difference, overflow) = time.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
    return monotonic + .nanoseconds(overflow ? (time < utc ? Int64.min : .max) : difference)
  }
}
