/// A reader of a recording. The reader decompresses the recording if the first two bytes identify gzip. The memory use
/// does not depend on the length of the recording.
package struct PlainReader: ~Copyable {
  /// The result of a read.
  package enum Arrival: Equatable {
    case bytes(Int)
    /// No bytes are available at present.
    case nothing
    case end
    /// The recording is damaged from this point on. The data before this point is valid.
    case damage(GzipError)
  }

  /// The result of a call of the caller's function `fetch`.
  package enum Fetched {
    /// The number of bytes in the buffer; 0 at the end of the recording.
    case bytes(Int)
    case nothing
  }

  private enum Kind {
    case unknown, plain, compressed
    /// The recording has ended. Each further read returns this result.
    case over(Arrival)
  }

  private static let chunk = 1 << 16

  private var kind = Kind.unknown
  /// The number of bytes that wait in the buffer until the format is known: 1 if only the first byte of gzip has
  /// arrived, otherwise 0.
  private var heldBytes = 0
  private var inflation: Inflation?
  private var compressed: [UInt8] = []
  /// The range of the compressed bytes that are not decompressed yet.
  private var unconsumed = 0..<0
  /// Whether the last step filled the output. In this case zlib may produce more output without new input.
  private var wasFull = false

  package init() {}

  /// Whether the recording is compressed; false until the format is known.
  package var isCompressed: Bool { inflation != nil }

  /// Reads the next bytes of the recording. The count of the buffer is the maximum number of bytes.
  ///
  /// - Parameter fetch: A function that puts the next bytes of the recording into a buffer, from the given offset on.
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
        guard case .bytes(let count) = try fetch(&buffer, heldBytes) else { return .nothing }
        if let arrival = recognise(&buffer, count) { return arrival }
      case .compressed:
        if unconsumed.isEmpty, !wasFull {
          guard case .bytes(let count) = try fetch(&compressed, 0) else { return .nothing }
          unconsumed = 0..<count
          if count == 0 {
            let isWhole = inflation?.isBetweenMembers ?? false
            kind = .over(isWhole ? .end : .damage(.truncated))
            continue
          }
        }
        let made = inflate(into: &buffer)
        if made > 0 { return .bytes(made) }
      }
    }
  }

  /// Determines the format from the first bytes. Returns the result of the read if the recording is not compressed.
  /// Returns nil if the read must continue, because the recording is compressed or the format is not known yet.
  private mutating func recognise(_ buffer: inout [UInt8], _ fetched: Int) -> Arrival? {
    let count = heldBytes + fetched
    if count == 1, fetched == 1, buffer[0] == 0x1F {
      heldBytes = 1
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
    unconsumed = 0..<count
    return nil
  }

  private mutating func inflate(into buffer: inout [UInt8]) -> Int {
    guard let step = inflation?.step(&compressed, unconsumed, into: &buffer) else { return 0 }
    wasFull = step.produced == buffer.count
    unconsumed = unconsumed.lowerBound + step.consumed..<unconsumed.upperBound
    if step.isOver { kind = .over(.end) }
    if let error = step.error { kind = .over(.damage(error)) }
    return step.produced
  }
}
