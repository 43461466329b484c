package import Authorization
package import Base
package import LineProtocol
import Ports

/// A one-time fix that waits for its acknowledgement, or for the gpsd command `?POLL` of its client. Only the Swift
/// module `Disclosure` can read the position of the fix.
package struct Delivery: Sendable {
  /// The times from the first transmission of a fix to each repetition. The gateway repeats a fix until the client
  /// acknowledges the fix.
  private static let redeliveries: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// Whether the gateway keeps the fix until the client sends the gpsd command `?POLL`. The gateway sends such a fix
  /// without repetitions.
  package let isKept: Bool
  package let messageID: Int
  /// The sequence number of the entry for this fix in the disclosure log (the record of every sent location).
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

  /// The instant at which the fix is sent again, or at which the fix expires if no repetition is left.
  package var nextDeadline: MonotonicInstant {
    !isKept && timesDue < Self.redeliveries.count ? min(sent + Self.redeliveries[timesDue], expires) : expires
  }

  /// Records that the instant `nextDeadline` has passed. Several passed instants cause only one repetition of the fix.
  package mutating func passDeadline(at now: MonotonicInstant) {
    timesDue = Self.redeliveries.count { sent + $0 <= now }
    isRedelivered = true
  }

  /// Records that the fix is sent again because the client has connected again. `nextDeadline` stays the same.
  package mutating func resume() { isRedelivered = true }

  func send(on connection: any ClientConnection, until end: MonotonicInstant) {
    connection.send(
      once: .init(
        topic: Topic.fixOnce.rawValue, sid: sid, id: isAcknowledged ? messageID : nil, isRedelivered: isRedelivered,
        json: json),
      until: end)
  }
}
