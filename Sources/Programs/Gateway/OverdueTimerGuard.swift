import Base

/// A guard against an endless loop of alarms. After a standstill of the machine, a few deadlines in succession are
/// already in the past. If every alarm finds a deadline in the past, the program has a fault, and the alarms would use
/// all processor time. The guard detects this fault, and the gateway delays the next alarm.
struct OverdueTimerGuard {
  /// The maximum number of overdue deadlines in succession. A greater number is a fault.
  static let most = 10
  /// The time by which the next alarm is delayed.
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Checks the next deadline after an alarm. Returns whether the next alarm must be delayed.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Returns whether the fault was not reported yet, and records it as reported.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
