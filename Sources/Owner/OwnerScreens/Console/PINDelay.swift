import Base

/// The delay before the next PIN entry. All sessions of a port share the delay, so a new session does not shorten the
/// delay.
struct PINDelay: Hashable, Sendable {
  static let longest = Duration.seconds(300)

  private var failures = 0
  private var end: MonotonicInstant?

  init() {}

  /// Returns the delay after a number of failed PIN entries: 1 s, 2 s, 4 s and so on, at most `longest`.
  static func delay(after failures: Int) -> Duration {
    failures < 1 ? .zero : min(longest, .seconds(1 << min(failures - 1, 9)))
  }

  /// Counts an entered PIN as a failure before the PIN is checked. Only a successful check resets the count. For this
  /// reason, a user who ends the session before the result of the check cannot avoid the delay.
  mutating func entered(at now: MonotonicInstant) {
    failures += 1
    end = now + Self.delay(after: failures)
  }

  mutating func succeeded() { self = PINDelay() }

  func end(at now: MonotonicInstant) -> MonotonicInstant? {
    end.flatMap { $0 > now ? $0 : nil }
  }
}
