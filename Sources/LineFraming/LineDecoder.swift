package import NIOCore

/// A line as it came: text, or why it is none.
package enum ReceivedLine: Hashable, Sendable {
  case text(String)
  /// Longer than allowed; what came is discarded up to its line end.
  case overlong
  /// Not UTF-8.
  case garbled
}

/// Bytes to lines: LF ends a line, a CR before it is dropped. Holds at most one line, whatever arrives.
package struct LineDecoder: ByteToMessageDecoder {
  package typealias InboundOut = ReceivedLine

  /// Longest line in bytes, without its line end.
  package let longest: Int
  /// How many bytes of the present line have been searched for its end.
  private var searched = 0
  private var isDiscarding = false

  package init(longest: Int) {
    self.longest = longest
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
    let view = buffer.readableBytesView
    guard let end = view[view.index(view.startIndex, offsetBy: searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
      if view.count > longest + 1 {
        isDiscarding = true
        buffer.clear()
        searched = 0
      } else {
        searched = view.count
      }
      return nil
    }
    var line = view[..<end]
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    let received: ReceivedLine
    if isDiscarding || line.count > longest {
      received = .overlong
    } else if let text = String(validating: line, as: UTF8.self) {
      received = .text(text)
    } else {
      received = .garbled
    }
    buffer.moveReaderIndex(to: end + 1)
    buffer.discardReadBytes()
    searched = 0
    isDiscarding = false
    return received
  }
}
