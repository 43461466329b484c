import GPSDProtocol
import NIOCore

/// Discards the input of a client that reads NMEA sentences, for example the commands that a program sends to set up a
/// receiver. A client that sends too much is not a reader of sentences, so its connection ends.
final class InputLimitHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDRequestParser.Element

  /// The maximum number of bytes that a client may send over one connection.
  static let most = 4096

  private var received = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytes
    if received > Self.most { context.fireChannelRead(wrapInboundOut(.foreign)) }
  }
}
