package import Base
package import LineProtocol
package import NIOCore

/// The role of a client: an app receives fixes, an owner administers the gateway.
package enum ClientRole: Hashable, Sendable {
  case app
  case owner
}

/// The connection of the gateway to one client. All functions return at once, without a wait for the client.
package protocol ClientConnection: AnyObject, Sendable {
  /// The identifier of the connection, unique in this process.
  var number: UInt64 { get }
  var role: ClientRole { get }
  var transport: Transport { get }
  var peer: Peer { get }

  /// The output (for example an MQTT broker) that receives the app's fixes; nil if the fixes are sent on this
  /// connection.
  var sink: (any OutputSink)? { get }

  /// Whether the send queue is full, so that a new line to this client would have to wait.
  var isFull: Bool { get }

  /// Whether the client gets fixes only on demand, as a gpsd client does with the command `?POLL`.
  var isPolled: Bool { get }

  /// Whether the connection belongs to an output (for example a web server) that gets a fix at each press of the
  /// button. The gateway itself makes the requests for such an output.
  var isForEachPress: Bool { get }

  /// Sends a protocol line without a position.
  func send(_ line: ServerLine)

  /// Sends a one-time fix, or the message that the device entered or left a region.
  ///
  /// - Parameter until: The instant after which the line must not be sent, because the indicator (the LED) then no
  ///   longer shows the use of the location.
  func send(once message: ServerLine.Message, until: MonotonicInstant)

  func send(update line: UpdateLine)

  /// Cancels the transmission of the given kinds of fixes. If a part of such a fix is already sent, the connection
  /// closes.
  func recall(_ kinds: FixKinds)

  /// Sends an error if the send queue has room, and closes the connection.
  func refuse(_ error: LineError, tag: String?)
}

extension ClientConnection {
  package var isPolled: Bool { false }

  package var isForEachPress: Bool { false }

  package func refuse(_ error: LineError) { refuse(error, tag: nil) }
}

/// A protocol line with one fix of continuous updates, for one subscription id (`sid`). Several connections can share
/// the line, so that the fix is encoded only once.
package struct UpdateLine: Sendable {
  package let sid: String
  /// The encoded protocol line, with the line end.
  package let bytes: ByteBuffer

  package init(sid: String, json: String) {
    self.sid = sid
    bytes = ServerLine.message(.init(topic: Topic.fixUpdates.rawValue, sid: sid, json: json)).bytes
  }
}

package struct FixKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let updates = FixKinds(rawValue: 1)
  package static let once = FixKinds(rawValue: 2)
  package static let all: FixKinds = [.updates, .once]
}
