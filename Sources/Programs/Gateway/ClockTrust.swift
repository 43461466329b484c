import Clocks

/// Decides whether this machine's clock is reliable enough to prune the log. A board without a battery can start with
/// any date, and a clock that is far ahead would make every entry look old.
struct ClockTrust {
  /// The time without a step after which the clock is trusted without confirmation by the receiver.
  static let trial: Duration = .seconds(86_400)
  /// The maximum difference from the receiver's time that confirms the clock.
  static let agreement: Duration = .seconds(86_400)
  /// The minimum jump that indicates that the clock was set.
  static let step: Duration = .seconds(3600)

  private var first: ClockReading?

  /// - Parameter received: the time from the receiver; nil if the receiver has no time.
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
