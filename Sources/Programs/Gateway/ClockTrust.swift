import Clocks

/// Whether this machine's clock may decide what is old enough to be thrown away. A board without a battery wakes up with
/// any date, and one that is far ahead would make everything old.
struct ClockTrust {
  /// How long the clock has to go on without a step where nobody confirms it.
  static let trial: Duration = .seconds(86_400)
  /// How far the receiver's time may lie from the clock's that it confirms.
  static let agreement: Duration = .seconds(86_400)
  /// A clock that was moved by more than that was set.
  static let step: Duration = .seconds(3600)

  private var first: ClockReading?

  /// - Parameter received: the time by the receiver; nil where it has none now.
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
