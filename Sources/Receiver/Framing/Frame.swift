/// A frame that a `FrameScanner` found, or the reason why something that began like one is none.
public struct Frame: Hashable, Sendable {
  /// What it is.
  public enum Kind: Hashable, Sendable {
    /// A line of NMEA 0183. `computed` is the XOR over its content; `received` what stands after the last `*`, nil
    /// where no `*` is. The scanner does not compare them: whether a checksum is required is the reader's choice.
    case sentence(computed: UInt8, received: UInt8?)
    /// A u-blox frame whose checksum is right.
    case ubx(class: UInt8, id: UInt8)
    /// An RTCM 3 frame whose checksum is right.
    case rtcm3
    /// It began like a frame and is none.
    case rejected(FramingError)
  }

  /// What was found.
  public let kind: Kind
  /// Where the content is: a sentence between `$` and `*`, a binary frame's payload. Empty for a rejected one.
  public let content: Range<Int>
  /// Whether `content` counts in `FrameScanner.buffered` and not in the chunk: the frame was split across chunks.
  public internal(set) var isBuffered = false
  /// Whether the frame began with `!`: an encapsulating sentence, such as AIS.
  public internal(set) var isEncapsulating = false

  init(_ kind: Kind, content: Range<Int> = 0..<0) {
    self.kind = kind
    self.content = content
  }
}

/// Why a beginning became no frame.
public enum FramingError: Error, Hashable, Sendable, CaseIterable {
  /// A `$` stands inside a sentence: its end was lost.
  case interrupted
  /// A control character, a NUL or a byte beyond ASCII stands inside a sentence.
  case aborted
  /// No end within `FrameScanner.maximumSentenceLength` bytes.
  case overlong
  /// What stands after the last `*` is not two hexadecimal digits.
  case malformedChecksum
  /// A u-blox frame's checksum is wrong, or its sync bytes stood there by chance.
  case ubxChecksum
  /// An RTCM 3 frame's checksum is wrong, or its sync byte stood there by chance.
  case rtcm3Checksum
}
