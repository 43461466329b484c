import GPSDProtocol
import NIOCore

/// Discards the input of a client that reads NMEA sentences, for example the commands that a program sends to set up a
/// receiver. A client that sends too much is not a reader of sentences, so its connection ends. The same applies to a
/// browser, because a web page could otherwise ask for the location in the name of the user.
final class InputLimitHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDRequestParser.Element

  /// The maximum number of bytes that a client may send over one connection.
  static let most = 4096

  /// The first bytes of a browser: the method of an HTTP request, or the first byte of TLS or of WebRTC (STUN).
  private static let browsers = [
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ", "PRI ", "\u{16}", "\u{0}",
  ].map { Array($0.utf8) }
  /// The length of the longest element of `browsers`.
  private static let longestBrowser = 8

  private var received = 0
  /// The first bytes of the client, at most `longestBrowser`.
  private var first: [UInt8] = []

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data).readableBytesView
    received += bytes.count
    first += bytes.prefix(Self.longestBrowser - first.count)
    if received > Self.most || Self.browsers.contains(where: { first.starts(with: $0) }) {
      context.fireChannelRead(wrapInboundOut(.foreign))
    }
  }
}
