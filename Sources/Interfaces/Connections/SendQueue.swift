import NIOCore
import Ports

/// What waits for a client to read, by the rules of each kind: it grows no larger than they say, whatever happens.
struct SendQueue {
  /// Fixes of updates that wait at most.
  static let mostUpdates = 32
  /// Events that wait at most: nobody presses that often while a client is waited for.
  static let mostEvents = 256
  /// Bytes that are handed over together at most, but for a single line.
  static let longestChunk = 4096

  /// Lines that are handed over together.
  struct Chunk {
    var bytes: ByteBuffer
    var fixes: FixKinds
  }

  private var lines: [OutgoingLine] = []
  /// How many updates gave way, by subscription, since the last that was delivered.
  private var dropped: [String: Int] = [:]

  /// Whether a line may pass by it.
  var isIdle: Bool { lines.isEmpty && dropped.isEmpty }

  var count: Int { lines.count }

  /// Takes a line; false where it may neither give way nor find room.
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

  /// One of a subscription's updates was dropped; the next that is delivered says so.
  mutating func noteDropped(_ sid: String) {
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

  /// Takes the lines out that are to be handed over next; nil where there are none.
  /// - Parameters:
  ///   - longest: how many bytes are handed over together at most, but for a single line.
  ///   - isVoid: whether a line may not leave any more.
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
    if case .updates(let sid) = line.rule, let count = dropped.removeValue(forKey: sid) { bytes.tell(dropped: count) }
    if chunk == nil {
      chunk = Chunk(bytes: bytes, fixes: line.fixes)
    } else {
      chunk?.bytes.writeBuffer(&bytes)
      chunk?.fixes.formUnion(line.fixes)
    }
  }

  /// Erases fixes.
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
  /// Adds to the JSON object, which ends the line, how many before it were dropped.
  fileprivate mutating func tell(dropped count: Int) {
    moveWriterIndex(to: writerIndex - 2)
    writeString(",\"dropped\":\(count)}\n")
  }
}
