public import GNSS

/// The destination of a decoder's results. The results arrive in the order of the bytes in the stream.
public protocol NMEAOutput {
  /// Receives an epoch, with or without a fix: one for each instant that the receiver reports.
  mutating func receive(_ epoch: Epoch)
  /// Receives a valid sentence of an unsupported type. `content` is its range in `bytes`, between the first character
  /// (`$` or `!`) and `*`.
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>)
  /// Receives the error of a line that is not a valid sentence. The decoder continues after the error.
  mutating func receive(_ error: NMEAError)
  /// Receives a u-blox frame with a correct checksum. `payload` is the range of the frame's payload in `bytes`.
  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>)
  /// Receives an RTCM 3 frame with a correct checksum. `payload` is the range of the frame's payload in `bytes`.
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>)
}

extension NMEAOutput {
  /// The default implementation does nothing.
  public mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {}
  /// The default implementation does nothing.
  public mutating func receive(_ error: NMEAError) {}
  /// The default implementation does nothing.
  public mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {}
  /// The default implementation does nothing.
  public mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {}
}
