import GPSDProtocol
import NIOCore

/// Turns a client's bytes into its commands, each as soon as it is complete.
struct RequestDecoder: ByteToMessageDecoder {
  typealias InboundOut = GPSDRequestParser.Element

  private var parser: GPSDRequestParser

  init(longest: Int) { parser = GPSDRequestParser(longest: longest) }

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    while let byte = buffer.readInteger(as: UInt8.self) {
      guard let element = parser.consume(byte) else { continue }
      context.fireChannelRead(wrapInboundOut(element))
      return .continue
    }
    return .needMoreData
  }

  /// A command without an end is none: its client died in the middle.
  mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }
}
