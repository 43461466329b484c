import LineFraming
import LineProtocol
import NIOCore

/// The verification of the checksums of a gateway's lines.
struct InboundChecksums {
  enum State {
    /// Lines have no checksums.
    case none
    /// The client's HELLO asked for checksums. If the gateway accepts the HELLO, the reply to it is the first line with
    /// a checksum. If the gateway refuses the HELLO, the reply has no checksum.
    case offered
    case agreed
  }

  var state = State.none

  /// Returns the line without its checksum; nil if the line was damaged in transmission.
  ///
  /// - Parameter isSerial: Whether the connection is a serial port, on which the gateway may send a new greeting
  ///   without a checksum at any time.
  mutating func verify(_ line: ByteBuffer, isSerial: Bool) -> ByteBuffer? {
    // An empty line has no checksum.
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
