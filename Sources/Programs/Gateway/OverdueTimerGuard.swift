import Clocks

/// Protects the processor against deadlines that stay in the past. After a standstill of the machine, some deadlines
/// are overdue for a short time. If deadlines stay overdue, this program has a fault, so the guard delays the next
/// alarm.
struct OverdueTimerGuard {
  /// The maximum number of consecutive overdue deadlines. If more deadlines are overdue, the guard assumes a fault.
  static let most = 10
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Checks the next deadline after an alarm was handled.
  ///
  /// - Returns: Whether the next alarm must be delayed.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Returns whether the fault must be reported. After the fault was reported, the result is false.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
