public import GNSS

/// Takes what a decoder finds, in the order of the stream.
public protocol NMEAOutput {
  /// One for each time that the receiver navigates at, with or without a fix.
  mutating func receive(_ epoch: Epoch)
  /// Whether `receive(_:from:)` shall be called: sentences are handed over only to who wants them.
  var wantsSentences: Bool { get }
  /// A valid sentence that was read, and who says it.
  mutating func receive(_ sentence: Sentence, from talker: Talker)
  /// A valid sentence of a type that is not read, handed over with those that are. `content` is the range between `$`
  /// or `!` and `*` in `bytes`.
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>)
  /// A line that is no valid sentence. The stream goes on.
  mutating func receive(_ error: NMEAError)
  /// A u-blox frame whose checksum is right. `payload` is the range of its payload in `bytes`.
  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>)
  /// An RTCM 3 frame whose checksum is right.
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>)
}

extension NMEAOutput {
  /// False, unless it is said: no sentences are wanted.
  public var wantsSentences: Bool { false }
  /// Nothing, unless it is said.
  public mutating func receive(_ sentence: Sentence, from talker: Talker) {}
  /// Nothing, unless it is said.
  public mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {}
  /// Nothing, unless it is said.
  public mutating func receive(_ error: NMEAError) {}
  /// Nothing, unless it is said.
  public mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {}
  /// Nothing, unless it is said.
  public mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {}
}
