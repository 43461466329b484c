import Authorization
import Clocks
import LineServer

/// How much the sessions of each app may say together: one that opens many does not get as much more of the gateway.
struct Pace {
  /// Commands at once: four for each session that an app may have.
  static let burst = 4 * Session.most
  /// Commands a second after that: of twenty sessions that say all they may.
  static let rate = 400.0

  private var buckets: [AppID: TokenBucket] = [:]

  /// Takes a command of an app; false where it has said too much.
  mutating func take(of app: AppID, at now: MonotonicInstant) -> Bool {
    buckets[app, default: TokenBucket(capacity: Self.burst, perSecond: Self.rate, at: now)].take(at: now)
  }
}
