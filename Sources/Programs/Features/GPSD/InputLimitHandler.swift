import LineProtocol
import NIOCore

/// A handler that discards the input of a client which only reads NMEA sentences. Such a client may send commands for a
/// receiver.
///
/// The handler reports a client that sends too much, and a browser, so that the server closes the connection. Otherwise
/// a web page in the user's browser could request the location.
final class InputLimitHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDRequestParser.Element

  /// The maximum count of bytes that a client may send during a connection.
  static let most = 4096

  /// The first bytes of protocols that a browser uses: HTTP methods, and the first byte of TLS and of WebRTC (STUN).
  private static let browsers = [
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ", "PRI ", "\u{16}", "\u{0}",
  ].map { Array($0.utf8) }
  /// The length of the longest text in `browsers`, in bytes.
  private static let longestBrowser = 8

  private var received = 0
  /// The first bytes of the client, to compare with `browsers`.
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
