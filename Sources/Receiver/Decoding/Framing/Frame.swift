/// A result of `FrameScanner`: a valid frame, or the error of bytes that only begin like a frame.
public struct Frame: Hashable, Sendable {
  /// The kind of frame.
  public enum Kind: Hashable, Sendable {
    /// A line of NMEA 0183. `computed` is the XOR of the content. `received` is the checksum after the last `*`; nil
    /// without a `*`. The caller compares the two values, because only the caller knows whether a checksum is required.
    case sentence(computed: UInt8, received: UInt8?)
    /// A u-blox frame with a correct checksum.
    case ubx(class: UInt8, id: UInt8)
    /// An RTCM 3 frame with a correct checksum.
    case rtcm3
    /// Bytes that begin like a frame but are not valid.
    case rejected(FramingError)
  }

  /// The kind of the frame.
  public let kind: Kind
  /// The bytes of a sentence between `$` and `*`, or the payload of a binary frame. Empty for a rejected frame.
  public let content: Range<Int>
  /// Whether the frame was split across chunks. If so, `content` is a range of `FrameScanner.buffered`. Otherwise, it
  /// is a range of the chunk.
  public internal(set) var isBuffered = false
  /// Whether the sentence begins with `!` instead of `$`, as AIS sentences do.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// The reason why a frame is rejected.
public enum FramingError: Error, Hashable, Sendable {
  /// A `$` inside a sentence: the end of the sentence was lost.
  case interrupted
  /// A control character or a byte beyond ASCII inside a sentence.
  case aborted
  /// A sentence that does not end within `FrameScanner.maximumSentenceLength` bytes.
  case overlong
  /// A sentence without two hexadecimal digits after its last `*`.
  case malformedChecksum
  /// A wrong checksum of a u-blox frame, or random bytes that look like its sync bytes.
  case ubxChecksum
  /// A wrong checksum of an RTCM 3 frame, or a random byte that looks like its sync byte.
  case rtcm3Checksum
}
