/// An instant of the clock that counts from the boot of the machine, and that also counts while the machine is suspended
/// (`CLOCK_BOOTTIME`).
public struct BootInstant: Hashable, Comparable, Sendable {
  /// The nanoseconds since the boot of the machine.
  public var nanoseconds: Int64

  /// Creates an instant.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns an instant plus a duration. The result saturates at the ends of the range (±292 years).
  public static func + (instant: BootInstant, duration: Duration) -> BootInstant {
    BootInstant(nanoseconds: (MonotonicInstant(nanoseconds: instant.nanoseconds) + duration).nanoseconds)
  }

  /// Returns the duration from the second instant to the first one.
  public static func - (later: BootInstant, earlier: BootInstant) -> Duration {
    MonotonicInstant(nanoseconds: later.nanoseconds) - MonotonicInstant(nanoseconds: earlier.nanoseconds)
  }
}
