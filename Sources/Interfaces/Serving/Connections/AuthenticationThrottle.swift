import Base
import Ports

/// Computes the delay of the answer to a failed authentication. The delay grows with the number of failed
/// authentications of the same origin.
package struct AuthenticationThrottle {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// The delay after the first failure of an origin. The delay doubles with each further failure of this origin.
  static let shortest = Duration.milliseconds(500)
  /// The maximum delay. The value must be less than the 10 s in which a client must authenticate.
  package static let longest = Duration.seconds(8)
  /// The time without a failure after which earlier failures of an origin no longer count.
  static let memory = Duration.seconds(600)
  /// The maximum number of recorded origins. At this number, a new origin replaces the origin with the longest time
  /// since its latest failure.
  static let most = 1024

  private var records: [Peer.Origin: Record] = [:]

  /// Records a failed authentication, and returns the time by which the gateway must delay its answer.
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
    return min(Self.longest, Self.shortest * (1 << min(record.count - 1, 8)))
  }
}
