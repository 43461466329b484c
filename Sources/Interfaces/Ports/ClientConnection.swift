package import Clocks
import LineFraming
package import LineProtocol
package import NIOCore

/// The role of a client.
package enum ClientRole: Hashable, Sendable {
  case app
  case owner
}

/// One client's connection, as the gateway sees it. No call waits for the client.
package protocol ClientConnection: AnyObject, Sendable {
  /// Unique among all connections of this process.
  var number: UInt64 { get }
  var role: ClientRole { get }
  var transport: Transport { get }
  var peer: Peer { get }

  /// The sink that publishes this app's fixes; nil for a connection that receives its fixes as lines.
  var broker: (any BrokerSink)? { get }

  /// Whether a line sent now would have to wait.
  var isFull: Bool { get }

  /// Sends a line that carries no position.
  func send(_ line: ServerLine)

  /// Sends a one-time fix, or a region's event, if it leaves while the indicator shows it.
  /// - Parameter until: how long the indicator shows it.
  func send(once message: ServerLine.Message, until: MonotonicInstant)

  /// Sends a fix of updates.
  func send(update line: UpdateLine)

  /// Recalls fixes. No bytes of these fixes leave after the call. If a part of a fix has already left, the connection
  /// is closed.
  func recall(_ kinds: FixKinds)

  /// Sends an error, as far as there is room, and closes.
  func refuse(_ error: LineError, tag: String?)

  func close()
}

extension ClientConnection {
  package func refuse(_ error: LineError) { refuse(error, tag: nil) }
}

/// A fix of updates under one subscription. It is encoded once for all connections that receive it.
package struct UpdateLine: Sendable {
  package let sid: String
  /// The line with its line end.
  package let bytes: ByteBuffer

  package init(sid: String, json: String) {
    self.sid = sid
    bytes = ServerLine.message(.init(topic: Topic.fixUpdates.rawValue, sid: sid, json: json)).bytes
  }
}

/// Kinds of fixes.
package struct FixKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let updates = FixKinds(rawValue: 1)
  package static let once = FixKinds(rawValue: 2)
  package static let all: FixKinds = [.updates, .once]
}
