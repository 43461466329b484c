/// A scanner that finds the frames in a stream of NMEA 0183, UBX and RTCM 3.
///
/// The scanner recognises binary frames by length and checksum, so a `$` inside them starts no sentence. It copies only
/// frames that are split across chunks. After invalid bytes, it continues with the next frame.
///
///     while let frame = scanner.next(in: chunk, from: &position) {
///       if frame.isBuffered { read(frame, in: scanner.buffered) } else { read(frame, in: chunk) }
///     }
public struct FrameScanner: Sendable {
  /// The maximum length of a sentence in bytes. The standard allows 82 bytes (NMEA 0183 v4.11 §5.3), but some receivers
  /// send up to 203 bytes.
  public static let maximumSentenceLength = 512

  /// The maximum length of a UBX payload in bytes. A frame with a longer payload counts as noise.
  public let maximumPayload: Int
  /// The number of bytes that belong to no frame, without line ends.
  public private(set) var skippedBytes = 0

  private var pending: [UInt8] = []
  private var pendingStart = 0

  /// Creates a scanner in its initial state.
  public init(maximumPayload: Int = 4096) {
    self.maximumPayload = max(0, min(maximumPayload, 65_535))
    pending.reserveCapacity(FrameScanner.maximumSentenceLength)
  }

  /// The bytes of the last frame, if `isBuffered` of that frame is true. The span is valid until the next call.
  public var buffered: Span<UInt8> {
    @_lifetime(borrow self)
    get { pending.span }
  }

  /// Whether a frame has begun but has not ended yet.
  public var isInsideFrame: Bool { pendingStart < pending.count }

  package var isEmpty: Bool { pending.isEmpty }

  /// Returns the next frame in the chunk; nil at the end of the chunk. An incomplete frame is buffered for the next
  /// chunk.
  /// - Parameter position: The position in the chunk. The function moves it behind the frame.
  public mutating func next(in chunk: Span<UInt8>, from position: inout Int) -> Frame? {
    if pending.isEmpty {
      if let frame = FrameSearch.commonSentence(in: chunk, at: &position) { return frame }
    } else if let frame = resume(chunk, &position) {
      return frame
    }
    var search = search(.open)
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

  /// Returns the next buffered frame after a silence of the line. An incomplete binary frame is discarded, and an
  /// incomplete sentence is kept.
  public mutating func nextAfterSilence() -> Frame? {
    nextPending(.silent)
  }

  /// Returns the next buffered frame at the end of the input. The last sentence may lack its line end.
  public mutating func nextAtEnd() -> Frame? {
    nextPending(.ended)
  }

  private func search(_ continuation: Continuation) -> FrameSearch {
    FrameSearch(
      maximumSentenceLength: FrameScanner.maximumSentenceLength, maximumPayload: maximumPayload,
      continuation: continuation)
  }

  private mutating func nextPending(_ continuation: Continuation) -> Frame? {
    var search = search(continuation)
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
      var search = search(.open)
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
