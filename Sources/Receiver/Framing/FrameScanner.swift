/// Finds the frames in a stream of bytes in which NMEA 0183, UBX and RTCM 3 are mixed.
///
/// Binary frames are recognised by length and checksum, so that a `$` in them starts no sentence. Frames are not
/// copied, except for one that is split across chunks. Whatever the bytes, the scan finds its way back at the next
/// frame.
///
///     while let frame = scanner.next(in: chunk, from: &position) {
///       if frame.isBuffered { read(frame, in: scanner.buffered) } else { read(frame, in: chunk) }
///     }
public struct FrameScanner: Sendable {
  /// The standard says 82 characters (NMEA 0183 v4.11 §5.3), receivers send 203: this is where no end is expected
  /// any more.
  public static let maximumSentenceLength = 512

  /// The longest UBX payload that is waited for. Longer ones are chance, or more than a gateway needs.
  public let maximumPayload: Int
  /// Bytes so far that belong to no frame and are no line ends.
  public private(set) var skippedBytes = 0

  private var pending: [UInt8] = []
  private var pendingStart = 0

  /// A scanner that has seen nothing; frames whose payload claims more bytes are taken for noise.
  public init(maximumPayload: Int = 4096) {
    self.maximumPayload = max(0, min(maximumPayload, 65_535))
    pending.reserveCapacity(FrameScanner.maximumSentenceLength)
  }

  /// What the last frame's `content` counts in, where it `isBuffered`. It holds until the next call.
  public var buffered: Span<UInt8> {
    @_lifetime(borrow self)
    get { pending.span }
  }

  /// Whether a frame has begun and its end has not arrived.
  public var isInsideFrame: Bool { pendingStart < pending.count }

  /// Whether the next frame begins in the next chunk: nothing of it is kept.
  package var holdsNothing: Bool { pending.isEmpty }

  /// The next frame in the chunk, nil when all of it has been looked at. What is left of a frame is kept for the
  /// next chunk.
  public mutating func next(in chunk: Span<UInt8>, from position: inout Int) -> Frame? {
    if pending.isEmpty {
      if let frame = FrameSearch.usualSentence(in: chunk, at: &position) { return frame }
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

  /// The next frame of what is kept, now that the line is silent: a binary frame that does not end is given up, a
  /// sentence is not.
  public mutating func nextAfterSilence() -> Frame? {
    nextPending(.silent)
  }

  /// The next frame of what is kept, now that nothing more will come: a sentence needs no line end there.
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

  /// Goes on with what is kept, taking from the chunk only what it needs.
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
