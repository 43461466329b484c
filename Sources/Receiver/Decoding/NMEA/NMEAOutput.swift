public import GNSS

/// A type that accepts the results of a decoder. The decoder calls the functions in the order of the bytes in the
/// stream.
public protocol NMEAOutput {
  /// Receives an epoch (all data of one instant), with or without a fix.
  mutating func receive(_ epoch: Epoch)
  /// Receives a valid NMEA sentence of a type that the decoder does not use. `content` is the range in `bytes` between
  /// the first character (`$` or `!`) and `*`.
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>)
  /// Receives an error in a text line or a binary frame. The decoder continues with the next bytes.
  mutating func receive(_ error: NMEAError)
  /// Receives a frame of the u-blox protocol UBX with a correct checksum. `payload` is the range of the frame's payload
  /// in `bytes`.
  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>)
  /// Receives an RTCM 3 frame with a correct checksum. `payload` is the range of the frame's payload in `bytes`.
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>)
}

extension NMEAOutput {
  /// Ignores the sentence. A type that needs such sentences implements the function itself.
  public mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {}
  /// Ignores the error. A type that needs the errors implements the function itself.
  public mutating func receive(_ error: NMEAError) {}
  /// Ignores the frame. A type that needs UBX frames implements the function itself.
  public mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {}
  /// Ignores the frame. A type that needs RTCM 3 frames implements the function itself.
  public mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {}
}
