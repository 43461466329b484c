package import Base
import Channels
package import LineProtocol
package import NIOCore

/// The role of a client. An app receives fixes, and an owner administers the gateway.
package enum ClientRole: Hashable, Sendable {
  case app
  case owner
}

/// The connection of one client. The functions do not wait for the client.
package protocol ClientConnection: AnyObject, Sendable {
  /// The number of the connection, which is unique in this process.
  var number: UInt64 { get }
  var role: ClientRole { get }
  var transport: Transport { get }
  var peer: Peer { get }

  /// The output for the app's fixes; nil if the client receives its fixes on this connection.
  var sink: (any OutputSink)? { get }

  /// Whether a new line to this client would have to wait in the send queue.
  var isFull: Bool { get }

  /// Whether the client gets a fix only when the client asks for a fix, as a gpsd client does with `?POLL`.
  var isPolled: Bool { get }

  /// Whether the connection belongs to an output that gets a fix by each press. The gateway itself then makes the
  /// requests.
  var isForEachPress: Bool { get }

  /// Sends a line without a position.
  func send(_ line: ServerLine)

  /// Sends a one-time fix, or the message that the device entered or left a region. Drops the line if the connection
  /// cannot send it before the instant `until`, because the indicator shows the disclosure until then.
  func send(once message: ServerLine.Message, until: MonotonicInstant)

  func send(update line: UpdateLine)

  /// Withdraws fixes that are not sent yet. If a part of such a fix has already been sent, the connection closes.
  func recall(_ kinds: FixKinds)

  /// Sends an error, if the send queue has room, and closes the connection.
  func refuse(_ error: LineError, tag: String?)
}

extension ClientConnection {
  package var isPolled: Bool { false }

  package var isForEachPress: Bool { false }

  package func refuse(_ error: LineError) { refuse(error, tag: nil) }
}

/// The line with a fix of a stream of updates, for one subscription id (`sid`). Several connections can share the line,
/// so that the fix is encoded only once.
package struct UpdateLine: Sendable {
  package let sid: String
  /// The bytes of the line, including the line end.
  package let bytes: ByteBuffer

  package init(sid: String, json: String) {
    self.sid = sid
    bytes = ServerLine.message(.init(topic: Topic.fixUpdates.rawValue, sid: sid, json: json)).bytes
  }
}

/// A set of the two kinds of fixes: updates, and one-time fixes.
package struct FixKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let updates = FixKinds(rawValue: 1)
  package static let once = FixKinds(rawValue: 2)
  package static let all: FixKinds = [.updates, .once]
}
