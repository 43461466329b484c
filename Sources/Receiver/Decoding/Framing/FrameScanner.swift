/// A scanner that splits a byte stream into frames (messages with a checksum) of the protocols NMEA 0183, UBX and RTCM
/// 3.
///
/// The scanner recognises a binary frame by its length and checksum, so a `$` inside a binary frame starts no sentence.
/// The scanner copies only frames that are split across two chunks of input. After invalid bytes, the scanner continues
/// with the next frame.
///
///     while let frame = scanner.next(in: chunk, from: &position) {
///       if frame.isBuffered { read(frame, in: scanner.buffered) } else { read(frame, in: chunk) }
///     }
public struct FrameScanner: Sendable {
  /// The maximum length of an NMEA sentence in bytes. The standard allows 82 bytes (NMEA 0183 v4.11 §5.3), but some
  /// receivers send up to 203 bytes.
  public static let maximumSentenceLength = 512
  /// The maximum length of a UBX frame's payload in bytes. The scanner ignores longer frames.
  static let maximumPayload = 4096

  /// The count of bytes outside all frames (NMEA sentences and binary messages), except carriage returns and line
  /// feeds.
  public private(set) var skippedBytes = 0

  private var pending: [UInt8] = []
  private var pendingStart = 0

  /// Creates a scanner that has not yet received data.
  public init() {
    pending.reserveCapacity(FrameScanner.maximumSentenceLength)
  }

  /// The bytes of a frame that began in an earlier chunk of input (`Frame.isBuffered`). The span is valid until the
  /// next call of the scanner.
  public var buffered: Span<UInt8> {
    @_lifetime(borrow self)
    get { pending.span }
  }

  /// Whether the input ended inside a frame, so that the scanner waits for the rest of the frame.
  public var isInsideFrame: Bool { pendingStart < pending.count }

  /// Returns the next frame in a chunk of input, or nil at the end of the chunk. The scanner keeps an incomplete frame
  /// for the next chunk.
  /// - Parameters:
  ///   - chunk: the bytes that arrived after those of the previous chunk.
  ///   - position: the index of the next byte in the chunk. The function moves the index to the end of the frame.
  public mutating func next(in chunk: Span<UInt8>, from position: inout Int) -> Frame? {
    if pending.isEmpty {
      if let frame = FrameSearch.commonSentence(in: chunk, at: &position) { return frame }
    } else if let frame = resume(chunk, &position) {
      return frame
    }
    var search = FrameSearch(continuation: .open)
    let result = search.first(in: chunk, from: position)
    skippedBytes &+= search.skipped
    switch result {
    case .found(let frame, let next):
      position = next
      return frame
    case .incomplete(let start, _):
      if pending.isEmpty { keep(chunk, start..<chunk.count) }
      position = chunk.count
      return nil
    case .nothing:
      position = chunk.count
      return nil
    }
  }

  /// Returns the next frame from the bytes that the scanner has kept; nil if there is none. The caller uses the
  /// function after a pause of the receiver. The scanner then discards an incomplete binary frame, and keeps an
  /// incomplete NMEA sentence.
  public mutating func nextAfterSilence() -> Frame? {
    nextPending(.silent)
  }

  /// Returns the next frame from the bytes that the scanner has kept; nil if there is none. The caller uses the
  /// function at the end of the input, where an NMEA sentence may lack its line end.
  public mutating func nextAtEnd() -> Frame? {
    nextPending(.ended)
  }

  private mutating func nextPending(_ continuation: Continuation) -> Frame? {
    var search = FrameSearch(continuation: continuation)
    let result = search.first(in: pending.span, from: pendingStart)
    skippedBytes &+= search.skipped
    switch result {
    case .found(var frame, let next):
      pendingStart = next
      frame.isBuffered = true
      return frame
    case .incomplete(let start, _): drop(before: start)
    case .nothing: drop(before: pending.count)
    }
    return nil
  }

  @inline(never)
  private mutating func resume(_ chunk: Span<UInt8>, _ position: inout Int) -> Frame? {
    while !pending.isEmpty {
      var search = FrameSearch(continuation: .open)
      let result = search.first(in: pending.span, from: pendingStart)
      skippedBytes &+= search.skipped
      switch result {
      case .found(var frame, let next):
        pendingStart = next
        frame.isBuffered = true
        return frame
      case .nothing: drop(before: pending.count)
      case .incomplete(let start, let missing):
        drop(before: start)
        guard position < chunk.count else { return nil }
        let end = needed(from: chunk, at: position, missing: missing)
        keep(chunk, position..<end)
        position = end
      }
    }
    return nil
  }

  private func needed(from chunk: Span<UInt8>, at position: Int, missing: Int) -> Int {
    let isSentence = pending[0] == Byte.dollar || pending[0] == Byte.exclamation
    guard isSentence else { return min(chunk.count, position + missing) }
    let limit = min(chunk.count, position + FrameScanner.maximumSentenceLength - pending.count)
    let (end, _) = FrameSearch.stop(in: chunk, from: position, limit: limit)
    return min(chunk.count, end + 1)
  }

  private mutating func keep(_ chunk: Span<UInt8>, _ range: Range<Int>) {
    for index in range { pending.append(chunk[index]) }
  }

  private mutating func drop(before start: Int) {
    pendingStart = 0
    if start >= pending.count {
      pending.removeAll(keepingCapacity: true)
    } else if start > 0 {
      pending.removeSubrange(0..<start)
    }
  }
}
