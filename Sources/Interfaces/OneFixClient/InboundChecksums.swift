import LineProtocol
import NIOCore
import Ports

/// A verifier of the checksums of the gateway's protocol lines. The property `state` is the agreement about checksums
/// with the gateway.
struct InboundChecksums {
  enum State {
    case none
    /// The client has asked for checksums with its first command (HELLO). The reply has a checksum only if the gateway
    /// accepts HELLO.
    case offered
    case agreed
  }

  var state = State.none

  /// Returns the protocol line without its checksum; nil if the protocol line is damaged, or lacks a required checksum.
  /// On a serial port, the gateway's greeting (its first protocol line) never needs a checksum.
  mutating func verify(_ line: ByteBuffer, isSerial: Bool) -> ByteBuffer? {
    if state == .none || line.readableBytes == 0 { return line }
    if let count = Checksum.verified(line.readableBytesUInt8Span) {
      state = .agreed
      return line.getSlice(at: line.readerIndex, length: count)
    }
    switch ServerLine(parsing: line) {
    case .error? where state == .offered: return line
    case .info? where isSerial || state == .offered: return line
    case .ok?, .error?, .message?, .info?, .ping?, .pong?, nil: return nil
    }
  }
}
