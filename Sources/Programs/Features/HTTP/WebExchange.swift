import LineProtocol
import NIOCore
import NIOHTTP1
import NIOTLS

/// An HTTP request with the method POST.
struct WebRequest: Hashable, Sendable {
  /// The path and the query of the URL, as in `/pub?key=1`.
  var target: String
  var fields: [Field]
  var body: [UInt8]

  struct Field: Hashable, Sendable {
    var name: String
    var value: String
  }
}

/// The parts of an HTTP response that the gateway uses.
struct WebAnswer: Hashable, Sendable {
  var status: Int
  var retryAfter: String?
  var location: String?
  /// The first bytes of the body, at most 1024, for the error message.
  var body: [UInt8] = []
}

/// The limits of one HTTP exchange: times, and sizes of the response.
struct WebLimits: Hashable, Sendable {
  var connect = TimeAmount.seconds(10)
  /// The maximum life of a connection: the TLS handshake, the request and the response.
  var answer = TimeAmount.seconds(20)
  /// The maximum size of the header fields, in bytes.
  var header = 16_384
  /// The maximum size of the whole response, in bytes.
  var length = 81_920
}

/// The error of an HTTP exchange without a response.
struct WebFailure: Error, Hashable, Sendable {
  var fault: OutputFault
  var detail: String?

  init(_ fault: OutputFault, detail: String? = nil) {
    self.fault = fault
    self.detail = detail
  }
}

/// A handler that opens a connection to a web server, then sends one HTTP request on the connection when
/// `WebConnection` passes the request, and receives the response.
///
/// The status code decides whether the server has accepted the fix. Any fault after the header, such as an endless or
/// incomplete body, does not change the result.
final class WebExchange: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPClientRequestPart

  /// The event of the channel that the life of the connection is over.
  private enum Deadline { case passed }

  /// The maximum count of bytes of the response's body that are stored.
  private static let storedLength = 1024

  private let isEncrypted: Bool
  private let limits: WebLimits
  /// The promise of the new connection. With TLS, the connection is open after the handshake.
  private let opened: EventLoopPromise<Void>
  private let answered: EventLoopPromise<WebAnswer>
  private var answer: WebAnswer?

  init(
    isEncrypted: Bool, _ limits: WebLimits, _ opened: EventLoopPromise<Void>, _ answered: EventLoopPromise<WebAnswer>
  ) {
    self.isEncrypted = isEncrypted
    self.limits = limits
    self.opened = opened
    self.answered = answered
  }

  /// Adds this handler, the HTTP coder and the length limit to the pipeline of a new connection.
  func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    var configuration = NIOHTTPDecoderLimitConfiguration()
    configuration.maxHeaderFieldSize = limits.header
    configuration.maxHeaderListSize = limits.header
    try pipeline.addHandler(LengthLimit(limits.length))
    try pipeline.addHTTPClientHandlers(decoderLimitConfiguration: configuration, withClientUpgrade: nil)
    try pipeline.addHandler(self)
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    context.eventLoop.scheduleTask(in: limits.answer) {
      channel.pipeline.fireUserInboundEventTriggered(Deadline.passed)
    }
    if !isEncrypted { opened.succeed() }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let request = event as? WebRequest else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.target)
    for field in request.fields { head.headers.add(name: field.name, value: field.value) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      answer = WebAnswer(
        status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"),
        location: head.headers.first(name: "Location"))
    case .body(let part):
      let rest = Self.storedLength - (answer?.body.count ?? 0)
      answer?.body += part.readableBytesView.prefix(rest)
    case .end: end(WebFailure(.ended))
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case Deadline.passed: end(WebFailure(.silent))
    case TLSUserEvent.handshakeCompleted: opened.succeed()
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(error) }

  func channelInactive(context: ChannelHandlerContext) { end(WebFailure(.ended)) }

  /// Completes the results: with the response if its header has arrived, otherwise with the error. Only the first call
  /// has an effect.
  private func end(_ error: any Error) {
    opened.fail(error)
    if let answer { answered.succeed(answer) } else { answered.fail(error) }
  }
}

/// A handler that ends the exchange if the response is larger than a limit.
private final class LengthLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var rest: Int

  init(_ length: Int) { rest = length }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard rest > 0 else { return }
    rest -= unwrapInboundIn(data).readableBytes
    context.fireChannelRead(data)
    if rest <= 0 { context.fireErrorCaught(WebFailure(.answerTooLong)) }
  }
}
