import Base
import Ports

/// A calculator of the delays of replies to failed authentications. The delay doubles with each failure from the same
/// origin (a user, or a machine).
package struct AuthenticationThrottle {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// The delay after the first failed authentication of an origin (a user, or a machine).
  private static let shortest = Duration.milliseconds(500)
  /// The maximum delay of a reply. The delay must be less than the 10 s in which a client must authenticate.
  package static let longest = Duration.seconds(8)
  /// The time without a failure after which the failures of an origin (a user, or a machine) no longer count.
  private static let memory = Duration.seconds(600)
  /// The maximum count of origins (users or machines) whose failures are recorded. A further origin replaces the origin
  /// whose latest failure is the oldest.
  private static let most = 1024
  private static let backoff = Backoff(first: shortest, longest: longest)

  private var records: [Peer.Origin: Record] = [:]

  /// Records a failed authentication, and returns the delay of the gateway's reply.
  mutating func note(from origin: Peer.Origin, at now: MonotonicInstant) -> Duration {
    var record = records[origin] ?? Record(count: 0, last: now)
    if now - record.last >= Self.memory { record.count = 0 }
    record.count += 1
    record.last = now
    if records[origin] == nil, records.count >= Self.most,
      let quietest = records.min(by: { $0.value.last < $1.value.last })
    {
      records[quietest.key] = nil
    }
    records[origin] = record
    return Self.backoff.maximumDelay(after: record.count - 1)
  }
}
