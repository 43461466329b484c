import NIOCore
import NIOHTTP1

/// A complete HTTP request, or the status with which the server refuses an invalid request.
enum ReceivedRequest: Sendable {
  case asked(PageRequest, body: String)
  case refused(PageRefusal)
}

/// A handler that collects the parts of one HTTP request. The handler refuses a long body, and closes the connection if
/// the request is not complete within `timeToAsk`. Further requests are ignored.
final class RequestReader: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = ReceivedRequest

  /// The maximum length of a request's body, in bytes.
  static let longestBody = 1024
  static let timeToAsk = TimeAmount.seconds(5)

  /// The limits for the header fields of a request. The limits leave room for cookies, which a browser also sends for
  /// servers on other ports of this machine.
  static var limits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8192
    limits.maxHeaderListSize = 16_384
    limits.maxHeaderFieldCount = 64
    return limits
  }

  private var request: PageRequest?
  private var body = ByteBuffer()
  private var isDone = false
  private var deadline: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: Self.timeToAsk) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDone else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      request = PageRequest(
        method: head.method.rawValue, target: head.uri, headers: head.headers.map { (name: $0.name, value: $0.value) })
    case .body(var bytes):
      body.writeBuffer(&bytes)
      if body.readableBytes > Self.longestBody { deliver(.refused(.tooLarge), context) }
    case .end:
      deliver(request.map { .asked($0, body: String(buffer: body)) } ?? .refused(.badRequest), context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isDone else { return }
    switch error {
    case HTTPParserError.headerOverflow: deliver(.refused(.headersTooLarge), context)
    case is HTTPParserError: deliver(.refused(.badRequest), context)
    default: context.close(promise: nil)
    }
  }

  private func deliver(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
    isDone = true
    deadline?.cancel()
    context.fireChannelRead(wrapInboundOut(request))
  }
}
