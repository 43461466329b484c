/// An instant of the monotonic clock (`CLOCK_MONOTONIC`), for comparisons and durations. The kernel uses the same clock
/// for the timestamps of GPIO lines.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// The nanoseconds since an arbitrary instant, usually the boot of the machine.
  public var nanoseconds: Int64

  /// Creates an instant from a value of `CLOCK_MONOTONIC` in nanoseconds.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Returns this instant plus a duration. The result saturates at the ends of the range (±292 years).
  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    return MonotonicInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// Returns the duration from this instant to another instant; negative if the other instant is earlier.
  public func duration(to other: MonotonicInstant) -> Duration {
    .seconds(other.nanoseconds / 1_000_000_000 - nanoseconds / 1_000_000_000)
      + .nanoseconds(other.nanoseconds % 1_000_000_000 - nanoseconds % 1_000_000_000)
  }

  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    instant.advanced(by: duration)
  }

  public static func - (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    instant.advanced(by: .zero - duration)
  }

  public static func - (later: MonotonicInstant, earlier: MonotonicInstant) -> Duration {
    earlier.duration(to: later)
  }
}

extension Duration {
  /// The duration in whole nanoseconds. A value outside the range of `Int64` becomes the nearest limit.
  public var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in whole milliseconds, rounded toward zero.
  public var milliseconds: Int64 {
    clampedNanoseconds / 1_000_000
  }

  /// The duration in seconds, rounded up after the fraction of a millisecond is dropped.
  package var secondsRoundedUp: Int64 {
    (milliseconds + 999) / 1000
  }
}
