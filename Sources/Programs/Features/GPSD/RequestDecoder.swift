import LineProtocol
import NIOCore

/// A decoder that converts the bytes of a gpsd client into commands.
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

  /// Decodes the rest of the input at the end of the connection. An incomplete command is dropped.
  mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }
}
