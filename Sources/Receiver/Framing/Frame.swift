/// A result of `FrameScanner`: a valid frame, or the error of bytes that begin like a frame but are not valid.
public struct Frame: Hashable, Sendable {
  /// The kind of frame.
  public enum Kind: Hashable, Sendable {
    /// A line of NMEA 0183. `computed` is the XOR over its content. `received` is the checksum after the last `*`; nil
    /// if there is no `*`. The scanner does not compare the two checksums, because the caller decides whether a
    /// checksum is required.
    case sentence(computed: UInt8, received: UInt8?)
    /// A u-blox frame with a correct checksum.
    case ubx(class: UInt8, id: UInt8)
    /// An RTCM 3 frame with a correct checksum.
    case rtcm3
    /// Bytes that begin like a frame but are not a valid frame.
    case rejected(FramingError)
  }

  /// The kind of the frame.
  public let kind: Kind
  /// The range of the content: the bytes of a sentence between `$` and `*`, or the payload of a binary frame. Empty for
  /// a rejected frame.
  public let content: Range<Int>
  /// Whether the frame was split across chunks. If it was, `content` is a range of `FrameScanner.buffered`, otherwise a
  /// range of the chunk.
  public internal(set) var isBuffered = false
  /// Whether the sentence begins with `!` and not with `$`, for example a sentence of AIS.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// The reason for which a frame is rejected.
public enum FramingError: Error, Hashable, Sendable, CaseIterable {
  /// A `$` inside a sentence: the end of the sentence was lost.
  case interrupted
  /// A control character, a NUL or a byte beyond ASCII inside a sentence.
  case aborted
  /// No end of the sentence within `FrameScanner.maximumSentenceLength` bytes.
  case overlong
  /// The two characters after the last `*` are missing or are not hexadecimal digits.
  case malformedChecksum
  /// A u-blox frame with a wrong checksum, or random bytes that look like the sync bytes.
  case ubxChecksum
  /// An RTCM 3 frame with a wrong checksum, or a random byte that looks like the sync byte.
  case rtcm3Checksum
}
