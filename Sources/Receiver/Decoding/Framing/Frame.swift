/// A frame (one message with its checksum) that `FrameScanner` has found in a byte stream. If `kind` is `rejected`, the
/// bytes only looked like a frame.
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
    /// Bytes that begin like a frame but are not a valid frame.
    case rejected(FramingError)
  }

  /// The protocol of the frame, or its error.
  public let kind: Kind
  /// The range of the frame's content: the text between `$` and `*`, or the payload of a binary frame. The range is
  /// empty for an error. If `isBuffered` is true, the range is in `FrameScanner.buffered`. Otherwise, the range is in
  /// the chunk of input.
  public let content: Range<Int>
  /// Whether the frame began in an earlier chunk of the input, so that `content` is a range of `FrameScanner.buffered`.
  public internal(set) var isBuffered = false
  /// Whether the NMEA sentence begins with `!` and not with `$`, as the sentences of AIS (the ship identification
  /// system) do.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// The reason why a frame is invalid.
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
