import Clocks

/// Decides whether this machine's clock is good enough to prune the log. A board without a battery may start with any date,
/// and a clock that is far ahead would make every entry old.
struct ClockTrust {
  /// How long the clock has to run without a step if the receiver does not confirm it.
  static let trial: Duration = .seconds(86_400)
  /// The largest difference between the clock and the receiver's time that confirms it.
  static let agreement: Duration = .seconds(86_400)
  /// A larger jump than that means that the clock was set.
  static let step: Duration = .seconds(3600)

  private var first: ClockReading?

  /// - Parameter received: the time by the receiver; nil if it has none.
  mutating func trusts(_ now: ClockReading, received: UTCTime?) -> Bool {
    if let first, Self.distance(now.utc, first.utc(at: now.monotonic)) > Self.step { self.first = nil }
    let start = first ?? now
    first = start
    if let received, Self.distance(now.utc, received) <= Self.agreement { return true }
    return now.monotonic - start.monotonic >= Self.trial
  }

  private static func distance(_ a: UTCTime, _ b: UTCTime) -> Duration {
    .nanoseconds(max(a, b).nanosecondsSince1970) - .nanoseconds(min(a, b).nanosecondsSince1970)
  }
}
