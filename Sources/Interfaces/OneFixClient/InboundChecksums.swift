import Ports
import LineProtocol
import NIOCore

/// Verifies the checksums of the gateway's protocol lines. `state` says whether checksums are required.
struct InboundChecksums {
  enum State {
    case none
    /// The client's command HELLO asked for checksums. The reply has a checksum only if the gateway accepts HELLO.
    case offered
    case agreed
  }

  var state = State.none

  /// Returns the protocol line without its checksum; nil if the checksum shows damage in transmission. On a serial
  /// port, the gateway may send a new greeting without a checksum at any time.
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
