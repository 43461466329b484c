import LineFraming
import LineProtocol
import NIOCore

/// Clients with the same subscription, by the event loops that have their connections.
package struct Audience: Sendable {
  package private(set) var connections: [Connection] = []
  fileprivate var parts: [(post: Post, connections: [Connection])] = []

  package init() {}

  package mutating func add(_ connection: Connection) {
    connections.append(connection)
    let post = connection.post
    if let index = parts.firstIndex(where: { $0.post === post }) {
      parts[index].connections.append(connection)
    } else {
      parts.append((post, [connection]))
    }
  }
}

/// One fix of updates on its way to many clients: made once, and every event loop is woken once.
package struct FanOut: Sendable {
  private let sid: String
  private let bytes: ByteBuffer
  private let stamp: Flow.Stamp
  /// Who heard the last one, as a rule the same as hear this one.
  private let usual: Audience
  /// How many of them, from the first on, hear this one: as long as nobody else does, nobody is counted.
  private var matching = 0
  private var others: Audience?

  package init(sid: String, json: String, usual: Audience) {
    self.sid = sid
    bytes = ServerLine.message(.init(topic: Topic.fixUpdates.rawValue, sid: sid, json: json)).bytes
    stamp = Flow.stamp
    self.usual = usual
  }

  /// All who are usual hear it.
  package mutating func addUsual() { matching = usual.connections.count }

  package mutating func add(_ connection: Connection) {
    if others == nil {
      if matching < usual.connections.count, usual.connections[matching] === connection {
        matching += 1
        return
      }
      others = usual.first(matching)
    }
    others?.add(connection)
  }

  /// - Returns: who hears it.
  @discardableResult
  package func send() -> Audience {
    let audience = others ?? (matching == usual.connections.count ? usual : usual.first(matching))
    for part in audience.parts {
      // A copy, so that the event loops do not count references to the same one.
      let line = OutgoingLine(ByteBuffer(bytes: bytes.readableBytesView), .updates(sid: sid), stamp)
      part.post.send(line, to: part.connections)
    }
    return audience
  }
}

extension Audience {
  fileprivate func first(_ count: Int) -> Audience {
    var audience = Audience()
    for connection in connections.prefix(count) { audience.add(connection) }
    return audience
  }
}
