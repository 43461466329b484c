import LineFraming
import LineProtocol
import NIOCore

/// Clients with the same subscription, by the event loops that have their connections.
package struct Audience: Sendable {
  /// Those of one event loop.
  fileprivate struct Part {
    let post: Post
    var connections: [Connection] = []
    /// Of these connections and no others; nil where they were never asked for.
    var writers: Writers?
  }

  package private(set) var connections: [Connection] = []
  fileprivate var parts: [Part] = []

  package init() {}

  package mutating func add(_ connection: Connection) {
    connections.append(connection)
    let post = connection.post
    let index = parts.firstIndex { $0.post === post } ?? parts.endIndex
    if index == parts.endIndex { parts.append(Part(post: post)) }
    parts[index].connections.append(connection)
    parts[index].writers = nil
  }

  /// Nobody is added any more: what writes for them is found once, however much they are told.
  package mutating func close() {
    for index in parts.indices where parts[index].writers == nil {
      parts[index].writers = Writers(parts[index].connections, parts[index].post)
    }
  }
}

/// What writes for many clients of one event loop.
final class Writers: Sendable {
  let connections: [Connection]
  private let found: NIOLoopBoundBox<[FlowHandler]?>

  fileprivate init(_ connections: [Connection], _ post: Post) {
    self.connections = connections
    found = .makeEmptyBox(valueType: [FlowHandler].self, eventLoop: post.eventLoop)
  }

  /// On the event loop. One whose connection has ended meanwhile writes nothing.
  var all: [FlowHandler] {
    if let all = found.value { return all }
    let all = connections.compactMap(\.handler)
    found.value = all
    return all
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
    var audience = others ?? (matching == usual.connections.count ? usual : usual.first(matching))
    audience.close()
    for part in audience.parts {
      guard let writers = part.writers else { continue }
      // A copy, so that the event loops do not count references to the same one.
      let line = OutgoingLine(ByteBuffer(bytes: bytes.readableBytesView), .updates(sid: sid), stamp)
      part.post.send(line, by: writers)
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
