import LineProtocol
import NIOCore

/// One fix of updates on its way to many clients with the same subscription: made once, and every event loop is woken once.
package struct FanOut: Sendable {
  /// Those whose connections one event loop has.
  struct Part: Sendable {
    let post: Post
    var connections: [Connection]
  }

  package let sid: String
  private let bytes: ByteBuffer
  private let stamp: Recalls.Stamp
  private var parts: [Part] = []

  package init(sid: String, json: String) {
    self.sid = sid
    bytes = ServerLine.message(.init(topic: Topic.fixUpdates.rawValue, sid: sid, json: json)).bytes
    stamp = Recalls.now
  }

  package mutating func add(_ connection: Connection) {
    let post = connection.post
    if let index = parts.firstIndex(where: { $0.post === post }) {
      parts[index].connections.append(connection)
    } else {
      parts.append(Part(post: post, connections: [connection]))
    }
  }

  package func send() {
    for part in parts {
      // A copy, so that the event loops do not count references to the same one.
      let line = OutgoingLine(ByteBuffer(bytes: bytes.readableBytesView), .updates(sid: sid), stamp)
      part.post.send(line, to: part.connections)
    }
  }
}
