import LineFraming
import LineProtocol
import NIOCore

/// Whether lines of a gateway arrived as they were said.
struct HeardChecksums {
  enum State {
    /// Lines have none.
    case none
    /// HELLO asked for them: its reply is the first line that has one, and a refusal has none.
    case offered
    case agreed
  }

  var state = State.none

  /// A line without its checksum; nil where it is not what was said.
  /// - Parameter isSerial: whether the gateway may begin anew at any time. Then it has agreed to nothing.
  mutating func verify(_ line: ByteBuffer, isSerial: Bool) -> ByteBuffer? {
    // An empty line says nothing that could be wrong.
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
