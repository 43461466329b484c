package import Authorization
package import Base
package import LineProtocol
import Ports

/// A one-time fix that was sent and is not acknowledged yet, or that is kept for a client that fetches it with the gpsd
/// command `?POLL`. Only the Swift module `Disclosure` can read the position of the fix.
package struct Delivery: Sendable {
  /// The times from the first transmission of a fix to each further transmission, while the client does not acknowledge
  /// it.
  private static let redeliveries: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// Whether the gateway keeps the fix until the client sends `?POLL`. Such a fix is sent once.
  package let isKept: Bool
  package let messageID: Int
  /// The sequence number of this fix's entry in the disclosure log (the record of every sent location).
  package let entry: Int64
  package let expires: MonotonicInstant
  let accuracy: FixAccuracy
  let right: Right
  let sid: String
  let isAcknowledged: Bool
  let json: String
  let sent: MonotonicInstant
  private var timesDue = 0
  var isRedelivered = false

  init(_ once: OnceDisclosure, _ accuracy: FixAccuracy, entry: Int64, json: String, sent: MonotonicInstant) {
    request = once.grant.request
    session = once.grant.session
    isKept = once.isKept
    app = once.grant.app
    right = once.grant.right
    self.accuracy = accuracy
    messageID = once.messageID
    self.entry = entry
    // Without a press the request ends earlier, but the fix is sent again and awaits its acknowledgement as long as
    // after a press.
    expires =
      isKept
      ? sent + Authorization.Bounds.keptFix
      : once.grant.press == nil ? sent + Authorization.Bounds.grantLife : once.grant.expires
    sid = once.sid
    isAcknowledged = once.qos > 0
    self.json = json
    self.sent = sent
  }

  /// The instant at which the fix is sent again. After the last repetition, the instant at which the fix expires.
  package var nextDeadline: MonotonicInstant {
    !isKept && timesDue < Self.redeliveries.count ? min(sent + Self.redeliveries[timesDue], expires) : expires
  }

  /// Records that the instant of `nextDeadline` has passed. Several passed deadlines count as one, so the fix is sent
  /// only once.
  package mutating func passDeadline(at now: MonotonicInstant) {
    repeat { timesDue += 1 } while timesDue < Self.redeliveries.count && nextDeadline <= now
    isRedelivered = true
  }

  /// Records that the fix is sent again after the client connected again. The next deadline stays the same.
  package mutating func resume() { isRedelivered = true }

  func send(on connection: any ClientConnection, until end: MonotonicInstant) {
    connection.send(
      once: .init(
        topic: Topic.fixOnce.rawValue, sid: sid, id: isAcknowledged ? messageID : nil, isRedelivered: isRedelivered,
        json: json),
      until: end)
  }
}
