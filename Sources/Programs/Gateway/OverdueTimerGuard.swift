import Clocks

/// Protects the processor from deadlines that stay in the past. After a standstill of the machine some do for a while; if
/// they stay without end it is a fault of this program, and the next alarm is put off.
struct OverdueTimerGuard {
  /// More overdue deadlines in a row are a fault.
  static let most = 10
  static let pause: Duration = .seconds(1)

  private var count = 0
  private var isReported = false

  /// Checks the next deadline after an alarm was handled.
  /// - Returns: whether the next alarm has to be put off.
  mutating func check(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool {
    guard let next, next <= now else {
      count = 0
      return false
    }
    count += 1
    return count > Self.most
  }

  /// Whether the fault has to be reported: once.
  mutating func isNew() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
