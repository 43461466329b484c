import Clocks

/// Decides whether the clock of this machine is reliable enough to compute the age of log entries. The gateway removes
/// old entries only if it trusts the clock. A board without a battery can start with any date. If its clock is far
/// ahead, every entry of the log looks old.
struct ClockTrust {
  /// The time after which the clock is trusted without the receiver's confirmation, if the clock did not jump during
  /// this time.
  static let trial: Duration = .seconds(86_400)
  /// The limit for the difference between the clock and the receiver's time. If the difference is at most this value,
  /// the receiver confirms the clock.
  static let agreement: Duration = .seconds(86_400)
  /// The minimum difference that counts as a jump of the clock. After a jump of the clock, the gateway no longer trusts
  /// it.
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
