/// An instant of the Linux clock `CLOCK_BOOTTIME`, which counts from the boot of the machine, including the time while
/// the machine is suspended.
public struct BootInstant: Hashable, Comparable, Sendable {
  /// The nanoseconds since the boot of the machine, including the time while the machine was suspended.
  public var nanoseconds: Int64

  /// Creates an instant from a value of `CLOCK_BOOTTIME` in nanoseconds.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns an instant plus a duration. The result saturates at the ends of the range (±292 years).
  public static func + (instant: BootInstant, duration: Duration) -> BootInstant {
    BootInstant(nanoseconds: (MonotonicInstant(nanoseconds: instant.nanoseconds) + duration).nanoseconds)
  }

  /// Returns the duration from `earlier` to `later`; negative if `later` is before `earlier`.
  public static func - (later: BootInstant, earlier: BootInstant) -> Duration {
    MonotonicInstant(nanoseconds: later.nanoseconds) - MonotonicInstant(nanoseconds: earlier.nanoseconds)
  }
}
