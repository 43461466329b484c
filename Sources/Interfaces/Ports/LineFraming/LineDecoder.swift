package import NIOCore

/// A protocol line, or a BREAK condition of a serial port, that the decoder found in the received bytes.
package enum ReceivedLine: Hashable, Sendable {
  /// The bytes of a protocol line without the line end. The bytes may be invalid UTF-8.
  case text(ByteBuffer)
  /// A protocol line that exceeds the maximum length. The bytes are discarded.
  case overlong
  /// A BREAK condition on a serial port, by which a client begins a new conversation. The incomplete protocol line
  /// before the BREAK is discarded.
  case breakCondition
}

/// An NIO decoder that splits the received bytes into protocol lines, which end with LF or with CR LF. The decoder
/// stores at most one protocol line.
package struct LineDecoder: ByteToMessageDecoder {
  package typealias InboundOut = ReceivedLine

  /// The maximum length of a protocol line in bytes, without its line end.
  package let longest: Int
  /// Whether the terminal device marks a BREAK in the input with the bytes 0xFF 0x00 0x00 (termios(3), PARMRK). If
  /// true, the bytes 0xFF 0xFF mean one byte 0xFF. Valid UTF-8 contains no byte 0xFF.
  private let isMarked: Bool
  /// The count of bytes of the current protocol line that contain no line end.
  private var searched = 0
  private var isDiscarding = false

  package init(longest: Int, isMarked: Bool = false) {
    self.longest = longest
    self.isMarked = isMarked
  }

  package mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    guard let line = next(&buffer) else { return .needMoreData }
    context.fireChannelRead(wrapInboundOut(line))
    return .continue
  }

  package mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    // Bytes without a line end are dropped, because the sender stopped in the middle of the line.
    try decode(context: context, buffer: &buffer)
  }

  private mutating func next(_ buffer: inout ByteBuffer) -> ReceivedLine? {
    switch search(buffer.readableBytesUInt8Span) {
    case .nothing(let count):
      // A CR before the LF does not count towards the length of the line.
      if count > longest + 1 {
        isDiscarding = true
        buffer.clear()
        searched = 0
      } else {
        searched = count
      }
      return nil
    case .breakCondition(let end):
      begin(&buffer, behind: end)
      return .breakCondition
    case .line(let count, let end):
      defer { begin(&buffer, behind: end) }
      guard !isDiscarding, count <= longest, let line = buffer.getSlice(at: buffer.readerIndex, length: count) else {
        return .overlong
      }
      return .text(line)
    }
  }

  /// The result of the search for the end of a protocol line in the received bytes.
  private enum Finding {
    /// The received bytes contain no line end. `searched` is the count of bytes that need no second search.
    case nothing(searched: Int)
    case breakCondition(end: Int)
    /// A protocol line of `count` bytes. `end` is the index of the first byte after the line end.
    case line(count: Int, end: Int)
  }

  private func search(_ bytes: Span<UInt8>) -> Finding {
    var index = searched
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        let hasReturn = index > 0 && bytes[index - 1] == UInt8(ascii: "\r")
        return .line(count: hasReturn ? index - 1 : index, end: index + 1)
      case 0xFF where isMarked:
        guard index + 1 < bytes.count else { return .nothing(searched: index) }
        if bytes[index + 1] != 0 {
          index += bytes[index + 1] == 0xFF ? 2 : 1
          continue
        }
        guard index + 2 < bytes.count else { return .nothing(searched: index) }
        if bytes[index + 2] == 0 { return .breakCondition(end: index + 3) }
        // The bytes 0xFF 0x00 mean that the terminal device received the next byte with an error.
        index += 3
      default: index += 1
      }
    }
    return .nothing(searched: index)
  }

  private mutating func begin(_ buffer: inout ByteBuffer, behind count: Int) {
    buffer.moveReaderIndex(forwardBy: count)
    searched = 0
    isDiscarding = false
  }
}
