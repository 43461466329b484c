import Clocks

/// The delay before a user can enter the next PIN. A port has one delay for all its sessions, so a new session does not
/// shorten the delay.
struct PINDelay: Hashable, Sendable {
  /// The maximum delay, 5 min.
  static let longest = Duration.seconds(300)

  private var failures = 0
  private var end: MonotonicInstant?

  init() {}

  /// Returns the delay after a number of failures: 1 s after the first, 2 s after the second, then 4 s, and so on up to
  /// the maximum.
  static func delay(after failures: Int) -> Duration {
    failures < 1 ? .zero : min(longest, .seconds(1 << min(failures - 1, 9)))
  }

  /// Counts an entered PIN as a failure, before the PIN is checked. Only a successful check resets the count. For this
  /// reason, a user cannot avoid the delay by ending the session before the check has finished.
  mutating func entered(at now: MonotonicInstant) {
    failures += 1
    end = now + Self.delay(after: failures)
  }

  mutating func succeeded() { self = PINDelay() }

  /// Returns the time of the next permitted entry, or nil if an entry is permitted now.
  func end(at now: MonotonicInstant) -> MonotonicInstant? {
    end.flatMap { $0 > now ? $0 : nil }
  }
}
