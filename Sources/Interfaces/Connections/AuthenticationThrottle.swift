import Clocks
import Ports

/// The record of the failed authentications of each origin. After a failed authentication, the gateway delays its
/// answer. The number of recorded failures determines this delay.
package struct AuthenticationThrottle {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// The delay of the answer to the first failure of an origin. The delay doubles with each further failure.
  static let shortest = Duration.milliseconds(500)
  /// The maximum delay. The maximum must be less than the 10 s after which the gateway closes a connection that has not
  /// authenticated.
  package static let longest = Duration.seconds(8)
  /// The time without a failure after which the failures of an origin no longer count.
  static let memory = Duration.seconds(600)
  /// The maximum number of origins whose failures are recorded. When the maximum is reached, a new origin replaces the
  /// origin whose last failure is the oldest.
  static let most = 1024

  private var records: [Peer.Origin: Record] = [:]

  var count: Int { records.count }

  /// Records a failed authentication.
  ///
  /// - Returns: The time to wait before the gateway answers. The connection counts as pending during this time, even if
  ///   the client closes the connection.
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
