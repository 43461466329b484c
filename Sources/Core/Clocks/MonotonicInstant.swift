/// A reading of the monotonic clock (`CLOCK_MONOTONIC`): for order and durations, never for display.
///
/// The kernel stamps GPIO edges with the same clock, so an edge and an app's request can be put in order.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary moment, usually the boot of the machine.
  public var nanoseconds: Int64

  /// So long after the arbitrary moment.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// This instant moved by a duration. It saturates at the ends of the range (±292 years).
  public func advanced(by duration: Duration) -> MonotonicInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    return MonotonicInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// The time from this instant to another; negative where the other is earlier.
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
  /// Whole nanoseconds, clamped to what 64 bits hold.
  public var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// Whole milliseconds, rounded toward zero.
  public var milliseconds: Int64 {
    clampedNanoseconds / 1_000_000
  }
}
