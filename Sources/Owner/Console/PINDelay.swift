import Clocks

/// How long one has to wait before a PIN may be tried again. It outlives the session: to hang up does not shorten it.
struct PINDelay: Hashable, Sendable {
  /// 5 min
  static let longest = Duration.seconds(300)

  private var failures = 0
  private var end: MonotonicInstant?

  init() {}

  /// After one failure 1 s, then 2 s, 4 s, … up to the longest.
  static func delay(after failures: Int) -> Duration {
    failures < 1 ? .zero : min(longest, .seconds(1 << min(failures - 1, 9)))
  }

  /// A PIN was entered. It counts as wrong until it is known to be right: who leaves meanwhile gains nothing.
  mutating func entered(at now: MonotonicInstant) {
    failures += 1
    end = now + Self.delay(after: failures)
  }

  mutating func succeeded() { self = PINDelay() }

  /// When a PIN may be entered; nil where that is now.
  func end(at now: MonotonicInstant) -> MonotonicInstant? {
    end.flatMap { $0 > now ? $0 : nil }
  }
}
