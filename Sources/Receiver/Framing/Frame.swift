/// A result of `FrameScanner`: a valid frame, or the error of bytes that begin like a frame but are not valid.
public struct Frame: Hashable, Sendable {
  /// The kind of frame.
  public enum Kind: Hashable, Sendable {
    /// A line of NMEA 0183. `computed` is the XOR of all bytes of the content. `received` is the checksum after the
    /// last `*`; nil if there is no `*`. The scanner does not compare the two checksums, because the caller decides
    /// whether a checksum is required.
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
  /// The range of the content: the bytes of a sentence between `$` and `*`, or the payload of a binary frame. The range
  /// is empty for a rejected frame.
  public let content: Range<Int>
  /// Whether the frame was split across chunks. If the frame was split, `content` is a range of
  /// `FrameScanner.buffered`. Otherwise `content` is a range of the chunk.
  public internal(set) var isBuffered = false
  /// Whether the sentence begins with `!` instead of `$`. AIS sentences begin with `!`.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// The reason why a frame is rejected.
public enum FramingError: Error, Hashable, Sendable, CaseIterable {
  /// There is a `$` inside a sentence, so the end of the sentence was lost.
  case interrupted
  /// There is a control character, a NUL or a byte beyond ASCII inside a sentence.
  case aborted
  /// The sentence does not end within `FrameScanner.maximumSentenceLength` bytes.
  case overlong
  /// The two characters after the last `*` are missing, or they are not hexadecimal digits.
  case malformedChecksum
  /// The checksum of a u-blox frame is wrong, or random bytes look like the sync bytes.
  case ubxChecksum
  /// The checksum of an RTCM 3 frame is wrong, or a random byte looks like the sync byte.
  case rtcm3Checksum
}
