/// A reader of a recording. If the first two bytes identify the format gzip, the reader decompresses the recording. The
/// caller fetches the bytes of the recording. The reader uses the same amount of memory for recordings of any length.
package struct PlainReader: ~Copyable {
  /// The result of reading from the recording.
  package enum Arrival: Equatable {
    /// The number of bytes in the buffer.
    case bytes(Int)
    /// No bytes are available at present.
    case nothing
    case end
    /// The recording is damaged after this point. The data before this point is valid.
    case damage(GzipError)
  }

  /// The result of a call of the caller's function `fetch`.
  package enum Fetched {
    /// The number of bytes that the caller has put into the buffer; 0 at the end of the recording.
    case bytes(Int)
    /// No bytes are available at present.
    case nothing
  }

  private enum Kind {
    case unknown, plain, compressed
    /// The recording has ended. Each further read returns this result.
    case over(Arrival)
  }

  /// The size of the buffer for compressed data, in bytes.
  private static let chunk = 1 << 16

  private var kind = Kind.unknown
  /// The number of bytes that wait in the buffer until the format is known. The value is 1 if only the first byte has
  /// arrived and it may be the first byte of gzip. Otherwise the value is 0.
  private var heldBytes = 0
  private var inflation: Inflation?
  private var compressed: [UInt8] = []
  /// The range of the fetched compressed bytes that are not decompressed yet.
  private var unconsumed = 0..<0
  /// Whether the last decompression step filled the output completely. In this case zlib may produce more output
  /// without new input.
  private var wasFull = false

  package init() {}

  /// Whether the recording is compressed; false until the format is known.
  package var isCompressed: Bool { inflation != nil }

  /// Reads the next bytes of the recording.
  ///
  /// - Parameters:
  ///   - buffer: The buffer for the bytes. The count of the buffer is the maximum number of bytes.
  ///   - fetch: A function that puts the next bytes of the recording into a buffer. Its second argument is the offset
  ///     of the first byte in the buffer.
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

  /// Determines the format from the first bytes. If the recording is not compressed, the buffer already contains the
  /// result of the read, and the function returns this result. If the recording is compressed, or if the format is not
  /// known yet, the function returns nil, and the read must continue.
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
