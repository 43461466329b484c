import Base

/// The delay before the next attempt to enter a PIN. All sessions of a port share the delay, so a new session does not
/// shorten the delay.
struct PINDelay: Hashable, Sendable {
  static let longest = Duration.seconds(300)

  private var failures = 0
  private var end: MonotonicInstant?

  init() {}

  /// Returns the delay after a count of failed attempts: 1 s, 2 s, 4 s and so on, at most `longest`.
  static func delay(after failures: Int) -> Duration {
    failures < 1 ? .zero : min(longest, .seconds(1 << min(failures - 1, 9)))
  }

  /// Counts a failed attempt before the check of a PIN. A correct PIN resets the count later, so an early end of the
  /// session does not avoid the delay.
  mutating func entered(at now: MonotonicInstant) {
    failures += 1
    end = now + Self.delay(after: failures)
  }

  mutating func succeeded() { self = PINDelay() }

  func end(at now: MonotonicInstant) -> MonotonicInstant? {
    end.flatMap { $0 > now ? $0 : nil }
  }
}
