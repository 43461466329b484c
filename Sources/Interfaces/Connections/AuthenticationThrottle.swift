import Clocks
import Ports

/// The failed authentications of each origin, and the delays that they cause.
package struct AuthenticationThrottle {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// The delay of the answer to the first failure. It doubles with each further failure.
  static let shortest = Duration.milliseconds(500)
  /// Less than the 10 s after which the connection ends anyway.
  package static let longest = Duration.seconds(8)
  /// The time without a failure after which an origin is forgotten.
  static let memory = Duration.seconds(600)
  /// The maximum number of origins. If there are more, the origin with the oldest failure is removed.
  static let most = 1024

  private var records: [Peer.Origin: Record] = [:]

  var count: Int { records.count }

  /// Notes a failure.
  ///
  /// - Returns: the delay of the answer. The connection stays pending during the delay, even if its client closes it.
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
