import NIOCore
import Ports

/// A queue of protocol lines that wait until the client of one connection reads. The property `rule` of each line
/// limits how many lines of the same kind wait.
struct SendQueue {
  /// The maximum count of waiting fixes from streams of fixes (continuous updates).
  static let mostUpdates = 32
  static let mostEvents = 256
  /// The maximum length in bytes of a chunk (the protocol lines of one write). A single longer line is also a chunk.
  static let longestChunk = 4096

  struct Chunk {
    var bytes: ByteBuffer
    var fixes: FixKinds
  }

  private var lines: [OutgoingLine] = []
  /// The count of dropped fixes since the previous sent fix. The key is the id of the subscription to a stream of
  /// fixes.
  private var dropped: [String: Int] = [:]

  /// Adds a protocol line. Returns false if the line is an event and the queue already contains the maximum count of
  /// events. The gateway must then close the connection.
  mutating func push(_ line: OutgoingLine) -> Bool {
    switch line.rule {
    case .reply: break
    case .event: if lines.count(where: { $0.rule == .event }) >= Self.mostEvents { return false }
    case .beat, .state: lines.removeAll { $0.rule == line.rule }
    case .updates: makeRoomForUpdate()
    case .once(let message, _): lines.removeAll { $0.isOnce(message) }
    }
    lines.append(line)
    return true
  }

  private mutating func noteDropped(_ sid: String) {
    dropped[sid, default: 0] += 1
    Connection.droppedUpdates.increment()
  }

  private mutating func makeRoomForUpdate() {
    guard lines.count(where: { $0.fixes == .updates }) >= Self.mostUpdates,
      let oldest = lines.firstIndex(where: { $0.fixes == .updates }),
      case .updates(let sid) = lines.remove(at: oldest).rule
    else { return }
    noteDropped(sid)
  }

  /// Removes and returns the protocol lines for the next write; nil if no lines wait.
  /// - Parameters:
  ///   - longest: The maximum total length of the lines in bytes. The limit does not apply to a single line.
  ///   - isVoid: Returns whether a line has expired. The function drops an expired line.
  mutating func next(atMost longest: Int = longestChunk, isVoid: (OutgoingLine) -> Bool) -> Chunk? {
    var chunk: Chunk?
    var taken = 0
    for line in lines {
      if !isVoid(line) {
        if let chunk, chunk.bytes.readableBytes + line.bytes.readableBytes > longest { break }
        append(line, to: &chunk)
      }
      taken += 1
    }
    lines.removeFirst(taken)
    if lines.isEmpty { lines = [] }
    return chunk
  }

  private mutating func append(_ line: OutgoingLine, to chunk: inout Chunk?) {
    var bytes = line.bytes
    if !dropped.isEmpty, case .updates(let sid) = line.rule, let count = dropped.removeValue(forKey: sid) {
      bytes.report(dropped: count)
    }
    if chunk == nil {
      chunk = Chunk(bytes: bytes, fixes: line.fixes)
    } else {
      chunk?.bytes.writeBuffer(&bytes)
      chunk?.fixes.formUnion(line.fixes)
    }
  }

  mutating func erase(_ kinds: FixKinds) {
    lines.removeAll { !kinds.isDisjoint(with: $0.fixes) }
    if kinds.contains(.updates) { dropped = [:] }
  }

  mutating func removeAll() { self = SendQueue() }
}

extension OutgoingLine {
  fileprivate func isOnce(_ message: Int?) -> Bool {
    guard let message, case .once(message, _) = rule else { return false }
    return true
  }
}

extension ByteBuffer {
  /// Inserts the count of dropped fixes into the JSON object at the end of the protocol line. All other bytes of the
  /// line are the same for all clients, but each client has its own count.
  fileprivate mutating func report(dropped count: Int) {
    moveWriterIndex(to: writerIndex - 2)
    writeString(",\"dropped\":\(count)}\n")
  }
}
