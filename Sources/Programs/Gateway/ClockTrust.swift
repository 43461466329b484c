import Base
import Logging
import OperatingSystem

/// Decides whether the wall clock is reliable enough to compute the age of log entries. A board without a battery can
/// start with any date. A clock that is far ahead would make every entry look old enough to be removed.
struct ClockTrust {
  /// The time without a jump of the wall clock after which the gateway trusts the clock, even without a confirmation by
  /// a receiver.
  static let trial: Duration = .seconds(86_400)
  /// The maximum difference between the wall clock and the time of the GNSS receiver for a trusted wall clock.
  static let agreement: Duration = .seconds(86_400)
  /// The difference above which a change of the wall clock counts as a jump. After a jump, the time of `trial` begins
  /// again.
  static let step: Duration = .seconds(3600)

  /// The first reading of the clocks since the last jump of the wall clock; nil before the first reading.
  private var first: ClockReading?

  /// Returns whether the wall clock is reliable enough to compute the age of log entries. A clock that contradicts the
  /// receiver is not reliable, and the time of `trial` begins again.
  /// - Parameter received: The time of a receiver that does not take its time from this wall clock; nil if there is
  ///   none.
  mutating func trusts(_ now: ClockReading, received: UTCTime?) -> Bool {
    if let first, Self.distance(now.utc, first.utc(at: now.boot)) > Self.step { self.first = nil }
    let start = first ?? now
    first = start
    if let received {
      if Self.distance(now.utc, received) <= Self.agreement { return true }
      first = now
      return false
    }
    return now.monotonic - start.monotonic >= Self.trial
  }

  fileprivate static func distance(_ a: UTCTime, _ b: UTCTime) -> Duration {
    .nanoseconds(max(a, b).nanosecondsSince1970) - .nanoseconds(min(a, b).nanosecondsSince1970)
  }
}

/// A sign that the wall clock of this machine is wrong. The raw values are codes of warnings for owners
/// (administrators).
enum ClockFault: String, Hashable {
  /// The wall clock shows a time before the first release of OneFix, or before the latest anchor (the record of the end
  /// of the log). A board without a battery starts with such a time.
  case unset = "clock-unset"
  /// The wall clock and the time of the GNSS receiver differ by more than one hour.
  case differs = "clock-differs"

  /// The time by which the wall clock may be behind the latest anchor (the record of the end of the log). A time server
  /// can set a clock back by some seconds.
  static let tolerance: Duration = .seconds(60)

  /// Finds the sign that the wall clock is wrong. Returns nil if there is no sign.
  /// - Parameters:
  ///   - anchored: The time of the latest anchor (the record of the end of the log) of an earlier run; nil if there is
  ///     none.
  ///   - received: The time of a receiver on this board; nil if unknown, simulated or recorded.
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

  /// The description of the fault for the status text of the daemon.
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
        "remedy": "see timedatectl; without a network, chrony can set the clock from the receiver (man onefix.toml)",
      ])
  }
}
