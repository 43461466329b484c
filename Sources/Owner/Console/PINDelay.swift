import Clocks

/// The delay before the next PIN entry. It belongs to the port, not the session, so a new session does not shorten it.
struct PINDelay: Hashable, Sendable {
  /// The maximum delay, 5 min.
  static let longest = Duration.seconds(300)

  private var failures = 0
  private var end: MonotonicInstant?

  init() {}

  /// Returns the delay after a number of failures: 1 s after the first, then 2 s, 4 s, … up to the maximum.
  static func delay(after failures: Int) -> Duration {
    failures < 1 ? .zero : min(longest, .seconds(1 << min(failures - 1, 9)))
  }

  /// Counts an entered PIN as a failure. The count is reset only after the check succeeds, so an early hang-up does not
  /// avoid the delay.
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
