/// A frame in a byte stream: one message with its checksum. If `kind` is `rejected`, the bytes only begin like a frame.
public struct Frame: Hashable, Sendable {
  /// The protocol of a valid frame, or the error of an invalid frame.
  public enum Kind: Hashable, Sendable {
    /// An NMEA 0183 sentence. `computed` is the XOR of the bytes between `$` and `*`. `received` is the checksum that
    /// the sentence contains; nil without a `*`. The caller compares the two values.
    case sentence(computed: UInt8, received: UInt8?)
    /// A frame of the u-blox protocol UBX with a correct checksum. `class` and `id` are the message type.
    case ubx(class: UInt8, id: UInt8)
    /// An RTCM 3 frame with a correct checksum.
    case rtcm3
    /// Bytes that begin like a frame, but do not form a valid frame.
    case rejected(FramingError)
  }

  /// The protocol of the frame, or the error if the frame is invalid.
  public let kind: Kind
  /// The range of the text between `$` and `*`, or of a binary frame's payload; empty for an invalid frame. The range
  /// belongs to the present chunk of input, or to `FrameScanner.buffered` if `isBuffered` is true.
  public let content: Range<Int>
  /// Whether the frame began in an earlier chunk of input. In this case, `content` is a range of
  /// `FrameScanner.buffered`.
  public internal(set) var isBuffered = false
  /// Whether the NMEA sentence begins with `!` and not with `$`. The sentences of AIS (the ship identification system)
  /// begin with `!`.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// The reason why bytes that begin like a frame (a sentence or a binary message) are not a valid frame.
public enum FramingError: Error, Hashable, Sendable {
  /// A second `$` inside an NMEA sentence. The end of the first sentence was lost.
  case interrupted
  /// A control character or a byte above 0x7E inside an NMEA sentence.
  case aborted
  /// An NMEA sentence without an end within `FrameScanner.maximumSentenceLength` bytes.
  case overlong
  /// An NMEA sentence whose last `*` is not followed by two hexadecimal digits.
  case malformedChecksum
  /// A UBX frame with a wrong checksum, or random bytes that look like the start of a UBX frame.
  case ubxChecksum
  /// An RTCM 3 frame with a wrong checksum, or a random byte that looks like the start of an RTCM 3 frame.
  case rtcm3Checksum
}
