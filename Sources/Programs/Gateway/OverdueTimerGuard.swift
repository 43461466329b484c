import Clocks

/// A guard against a loop of timer alarms. A deadline is overdue if it has passed and the gateway has not handled it.
/// After a standstill of the machine, some deadlines are overdue for a short time, which is normal. If each alarm finds
/// another overdue deadline, this program has a fault. Without a delay, the alarms would then use all the time of the
/// processor. The guard therefore detects the fault, and the gateway delays the next alarm.
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
