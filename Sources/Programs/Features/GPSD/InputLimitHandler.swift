import LineProtocol
import NIOCore

/// Discards the input of a client that only reads NMEA sentences, for example commands for a receiver.
///
/// The handler closes the connection of a client that sends too much, and of a browser. Otherwise a web page could ask
/// for the location in the name of the user.
final class InputLimitHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDRequestParser.Element

  /// The maximum count of bytes that a client may send over one connection.
  static let most = 4096

  /// The first bytes that a browser sends: an HTTP method, or the first byte of TLS or of WebRTC (STUN).
  private static let browsers = [
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ", "PRI ", "\u{16}", "\u{0}",
  ].map { Array($0.utf8) }
  /// The length of the longest element of `browsers`, in bytes.
  private static let longestBrowser = 8

  private var received = 0
  /// The first bytes from the client, at most `longestBrowser`.
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
