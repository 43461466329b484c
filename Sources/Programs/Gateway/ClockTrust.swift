import Clocks

/// Decides whether the clock is reliable enough to compute the age of log entries. A board without a battery can start
/// with any date. If the clock of such a board were far ahead, the gateway would remove every entry of the log.
struct ClockTrust {
  /// If the clock does not jump during this time, the gateway trusts the clock without confirmation by the receiver.
  static let trial: Duration = .seconds(86_400)
  /// The maximum difference between the clock and the receiver's time. Within this limit, the receiver confirms the
  /// clock.
  static let agreement: Duration = .seconds(86_400)
  /// The minimum difference that counts as a jump of the clock. A jump ends the trust in the clock.
  static let step: Duration = .seconds(3600)

  private var first: ClockReading?

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
