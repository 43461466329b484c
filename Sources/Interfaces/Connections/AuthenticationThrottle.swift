import Clocks
import Ports

/// Delays the answers to failed authentications. The delay grows with the number of failures of one origin.
package struct AuthenticationThrottle {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// The delay after the first failure. The delay doubles with each further failure.
  static let shortest = Duration.milliseconds(500)
  /// The maximum delay. It must be less than the 10 s in which a client must authenticate.
  package static let longest = Duration.seconds(8)
  /// The time without a failure after which earlier failures of an origin no longer count.
  static let memory = Duration.seconds(600)
  /// The maximum number of recorded origins. At this number, a new origin replaces the origin whose last failure is
  /// oldest.
  static let most = 1024

  private var records: [Peer.Origin: Record] = [:]

  /// Records a failed authentication, and returns the time to wait before the gateway answers.
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
