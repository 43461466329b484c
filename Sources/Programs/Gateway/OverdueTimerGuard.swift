import Clocks

/// Protects the processor from deadlines that stay in the past. After a standstill of the machine some deadlines are
/// overdue for a short time. If deadlines stay overdue, this program has a fault, and the next alarm is delayed.
struct OverdueTimerGuard {
  /// The number of consecutive overdue deadlines above which a fault is assumed.
  static let most = 10
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Checks the next deadline after an alarm was handled.
  ///
  /// - Returns: whether the next alarm has to be delayed.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Whether the fault has to be reported. The fault is reported only once.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
