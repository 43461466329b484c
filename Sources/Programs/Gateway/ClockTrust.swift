import Base
import Logging
import OperatingSystem

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

  /// The first reading since the last jump of the clock.
  private var first: ClockReading?

  /// Returns whether the ages of log entries can be computed with the clock.
  /// - Parameter received: The time of a receiver that does not depend on the clock; nil if there is none.
  mutating func trusts(_ now: ClockReading, received: UTCTime?) -> Bool {
    if let first, Self.distance(now.utc, first.utc(at: now.monotonic)) > Self.step { self.first = nil }
    let start = first ?? now
    first = start
    if let received, Self.distance(now.utc, received) <= Self.agreement { return true }
    return now.monotonic - start.monotonic >= Self.trial
  }

  fileprivate static func distance(_ a: UTCTime, _ b: UTCTime) -> Duration {
    .nanoseconds(max(a, b).nanosecondsSince1970) - .nanoseconds(min(a, b).nanosecondsSince1970)
  }
}

/// A sign that the clock of this machine is wrong. The raw values are the codes of the warnings for owners.
enum ClockFault: String, Hashable {
  /// The clock shows a time before the first gateway existed, or before the latest anchor of the log. A board without a
  /// battery starts with such a time.
  case unset = "clock-unset"
  /// The clock and the time of the receiver differ.
  case differs = "clock-differs"

  /// The time by which the clock may be behind the latest anchor. A time server can set a clock back by some seconds.
  static let tolerance: Duration = .seconds(60)

  /// - Parameters:
  ///   - anchored: The time of the latest anchor that an earlier run of the gateway wrote.
  ///   - received: The time of a receiver on this board; nil if it is unknown, simulated or recorded.
  init?(_ now: ClockReading, anchored: UTCTime?, received: UTCTime?) {
    if let received {
      guard ClockTrust.distance(now.utc, received) > ClockTrust.step else { return nil }
      self = now.utc < .firstGateways ? .unset : .differs
    } else {
      let latest = now.utc(at: now.monotonic + Self.tolerance)
      guard now.utc < .firstGateways || anchored.map({ latest < $0 }) ?? false else { return nil }
      self = .unset
    }
  }

  /// The description in the status line.
  var text: String {
    switch self {
    case .unset: "the clock is not set"
    case .differs: "the clock differs from the receiver's time"
    }
  }

  var message: LogMessage {
    LogMessage(
      .store, .warning, "the clock of this machine is wrong, and so are the times of new entries of the log",
      [
        "cause": "\(text)",
        "remedy": "see timedatectl; without a network, [time] sets the clock from the receiver (man onefix.toml)",
      ])
  }
}
