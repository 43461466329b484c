import Base

/// Detects an endless loop of timers. Each timer should find its deadline in the future, except after a standstill of
/// the machine. Many overdue deadlines in succession are a fault that would use all processor time.
struct OverdueTimerGuard {
  /// The maximum count of overdue deadlines in succession. A higher count is a fault.
  static let most = 10
  /// The delay of the next timer after too many overdue deadlines in succession.
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Counts overdue deadlines in succession.
  /// - Returns: Whether the count is above `most`, so that the next timer must be delayed by `pause`.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Returns true only at the first call, so that the fault is logged once.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
