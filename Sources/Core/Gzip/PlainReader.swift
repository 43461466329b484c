/// Reads a recording as it was before gzip compressed it, or as it is: its first two bytes tell which. The caller fetches
/// the bytes; however long the recording is, the memory is the same.
package struct PlainReader: ~Copyable {
  /// What a read gave.
  package enum Arrival: Equatable {
    /// So many bytes, in the buffer.
    case bytes(Int)
    /// Nothing has been fetched for now.
    case nothing
    case end
    /// What came before was right, and nothing comes any more.
    case damage(GzipError)
  }

  /// What the fetch of the caller gave.
  package enum Fetched {
    /// So many bytes, put into the buffer from the offset on; none at the end.
    case bytes(Int)
    /// Nothing for now.
    case nothing
  }

  private enum Kind {
    case unknown, plain, compressed
    /// Nothing more is made of it.
    case over(Arrival)
  }

  /// Of compressed bytes that are fetched at once.
  private static let chunk = 1 << 16

  private var kind = Kind.unknown
  /// The first byte, where it came alone and may be the first of gzip's two.
  private var held = 0
  private var inflation: Inflation?
  private var compressed: [UInt8] = []
  /// Compressed bytes that were fetched and not yet taken.
  private var waiting = 0..<0
  /// Whether the last output was full: more may come without another byte.
  private var wasFull = false

  package init() {}

  /// Whether it is gzip'd; false as long as that is not known.
  package var isCompressed: Bool { inflation != nil }

  /// - Parameters:
  ///   - buffer: where bytes are put, up to its count.
  ///   - fetch: puts bytes into a buffer from an offset on.
  package mutating func read<Failure: Error>(
    into buffer: inout [UInt8], _ fetch: (inout [UInt8], Int) throws(Failure) -> Fetched
  ) throws(Failure) -> Arrival {
    while true {
      switch kind {
      case .over(let arrival): return arrival
      case .plain:
        switch try fetch(&buffer, 0) {
        case .bytes(0): return .end
        case .bytes(let count): return .bytes(count)
        case .nothing: return .nothing
        }
      case .unknown:
        guard case .bytes(let count) = try fetch(&buffer, held) else { return .nothing }
        if let arrival = recognise(&buffer, count) { return arrival }
      case .compressed:
        if waiting.isEmpty, !wasFull {
          guard case .bytes(let count) = try fetch(&compressed, 0) else { return .nothing }
          waiting = 0..<count
          if count == 0 {
            let isWhole = inflation?.isBetweenMembers ?? false
            kind = .over(isWhole ? .end : .damage(.endsTooEarly))
            continue
          }
        }
        let made = inflate(into: &buffer)
        if made > 0 { return .bytes(made) }
      }
    }
  }

  /// Looks at the first bytes. Nil where the caller's buffer holds none of the recording.
  private mutating func recognise(_ buffer: inout [UInt8], _ fetched: Int) -> Arrival? {
    let count = held + fetched
    if count == 1, fetched == 1, buffer[0] == 0x1F {
      held = 1
      return nil
    }
    guard count >= 2, buffer[0] == 0x1F, buffer[1] == 0x8B else {
      kind = fetched == 0 ? .over(.end) : .plain
      return count == 0 ? .end : .bytes(count)
    }
    guard let inflation = Inflation() else {
      kind = .over(.damage(.noMemory))
      return nil
    }
    self.inflation = consume inflation
    kind = .compressed
    compressed = Array(buffer[..<count])
    compressed.append(contentsOf: repeatElement(0, count: max(0, PlainReader.chunk - count)))
    waiting = 0..<count
    return nil
  }

  private mutating func inflate(into buffer: inout [UInt8]) -> Int {
    guard let step = inflation?.step(&compressed, waiting, into: &buffer) else { return 0 }
    wasFull = step.made == buffer.count
    waiting = waiting.lowerBound + step.taken..<waiting.upperBound
    if step.isOver { kind = .over(.end) }
    if let error = step.error { kind = .over(.damage(error)) }
    return step.made
  }
}
