import Clocks

/// Decides whether the clock of this machine is reliable enough to remove old entries from the log by it. A board
/// without a battery can start with any date, and if the clock is far ahead, every entry of the log looks old.
struct ClockTrust {
  /// If the clock makes no jump for this time, the clock is trusted without the receiver's confirmation.
  static let trial: Duration = .seconds(86_400)
  /// If the clock differs from the receiver's time by at most this difference, the receiver confirms the clock.
  static let agreement: Duration = .seconds(86_400)
  /// If the clock jumps by more than this difference, someone or something has set the clock.
  static let step: Duration = .seconds(3600)

  private var first: ClockReading?

  /// - Parameter received: the time from the receiver. Nil if the receiver has no time.
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
