import LineProtocol
import NIOCore

/// Converts the bytes of a gpsd client to commands.
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

  /// Drops an incomplete command at the end of the input.
  mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }
}
