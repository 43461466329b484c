import LineFraming
import LineProtocol
import NIOCore

/// The verification of the checksums of a gateway's lines.
struct InboundChecksums {
  enum State {
    /// Lines have no checksums.
    case none
    /// HELLO asked for checksums: its reply is the first line that has one, and a refusal has none.
    case offered
    case agreed
  }

  var state = State.none

  /// Returns the line without its checksum; nil if the line is damaged.
  /// - Parameter isSerial: whether the gateway may restart the conversation at any time, without checksums.
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
