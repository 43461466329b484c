package import NIOCore

/// A line as it came.
package enum ReceivedLine: Hashable, Sendable {
  /// Its bytes where they arrived, without the line end. Whoever reads them finds out whether they are text.
  case text(ByteBuffer)
  /// Longer than allowed; what came is discarded up to its line end.
  case overlong
  /// The other end of a serial port asked to begin anew by a BREAK. What had come of a line is discarded.
  case breakCondition
}

/// Bytes to lines: LF ends a line, a CR before it is dropped. Holds at most one line, whatever arrives.
package struct LineDecoder: ByteToMessageDecoder {
  package typealias InboundOut = ReceivedLine

  /// Longest line in bytes, without its line end.
  package let longest: Int
  /// Whether a terminal device marks what was no byte: 0xFF 0x00 0x00 is a BREAK, and 0xFF 0xFF the byte 0xFF. (termios(3),
  /// PARMRK) No text has one of them.
  private let isMarked: Bool
  /// How many bytes of the present line have been searched for its end.
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
    // What has no line end is no line: whoever sent it died in the middle.
    try decode(context: context, buffer: &buffer)
  }

  private mutating func next(_ buffer: inout ByteBuffer) -> ReceivedLine? {
    switch search(buffer.readableBytesUInt8Span) {
    case .nothing(let count):
      // A CR before the line end is no part of the line.
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

  /// What was found in the bytes that have come.
  private enum Finding {
    /// In so many bytes there is no end.
    case nothing(searched: Int)
    case breakCondition(end: Int)
    /// A line of so many bytes, and where what belongs to it ends.
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
          // 0xFF stands for itself when it comes twice.
          index += bytes[index + 1] == 0xFF ? 2 : 1
          continue
        }
        guard index + 2 < bytes.count else { return .nothing(searched: index) }
        if bytes[index + 2] == 0 { return .breakCondition(end: index + 3) }
        // A byte that was received wrong.
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
