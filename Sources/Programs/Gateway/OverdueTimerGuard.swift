import Base

/// Detects an endless loop of timers. Each timer should find its deadline in the future, except after a standstill of
/// the machine. Many overdue deadlines in succession are a fault that would use all processor time.
struct OverdueTimerGuard {
  /// The maximum count of overdue deadlines in succession that is not a fault.
  static let most = 10
  /// The delay of the next timer after such a fault.
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Checks the next deadline after a timer has fired. Returns whether the next timer must be delayed by `pause`.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Returns true at the first call, and false at each later call, so that the fault is logged once.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
