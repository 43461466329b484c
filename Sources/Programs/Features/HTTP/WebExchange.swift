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
}

/// The limits of one HTTP exchange: times, and sizes of the response.
struct WebLimits: Hashable, Sendable {
  var connect = TimeAmount.seconds(10)
  /// The maximum life of a connection: the TLS handshake, the request and the response.
  var answer = TimeAmount.seconds(20)
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
/// The status code decides whether the server has accepted the fix. Any fault after the status line, such as a damaged
/// header or an endless body, does not change the result.
final class WebExchange: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPClientRequestPart

  /// The event of the channel that the life of the connection is over.
  private enum Deadline { case passed }

  private let isEncrypted: Bool
  private let limits: WebLimits
  /// The promise of the new connection. With TLS, the connection is open after the handshake.
  private let opened: EventLoopPromise<Void>
  private let answered: EventLoopPromise<WebAnswer>
  private var answer: WebAnswer?
  private var isRequestSent = false

  init(
    isEncrypted: Bool, _ limits: WebLimits, _ opened: EventLoopPromise<Void>, _ answered: EventLoopPromise<WebAnswer>
  ) {
    self.isEncrypted = isEncrypted
    self.limits = limits
    self.opened = opened
    self.answered = answered
  }

  /// Adds this handler, the HTTP coder and the reader of the status line to the pipeline of a new connection.
  func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let statusLine = StatusLine(limits.length) { status in
      // A status before the request says nothing about the fix.
      if self.isRequestSent { self.answer = WebAnswer(status: status) }
    }
    try pipeline.addHandler(statusLine)
    try pipeline.addHTTPClientHandlers()
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
    isRequestSent = true
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
    case .body: break
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

  /// Completes the results: with the response if its status line has arrived, otherwise with the error. Only the first
  /// call has an effect.
  private func end(_ error: any Error) {
    opened.fail(error)
    if let answer { answered.succeed(answer) } else { answered.fail(error) }
  }
}

/// A handler that notes the status code of the response before the HTTP decoder reads the header, and limits the size of
/// the response. The decoder refuses a header with small faults, for example with lines that end without CR.
private final class StatusLine: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The remaining count of bytes that the response may have.
  private var rest: Int
  private let noteStatus: (Int) -> Void
  /// The received part of the status line; nil after its end.
  private var line: [UInt8]? = []

  /// - Parameters:
  ///   - length: The maximum size of the response, in bytes.
  ///   - noteStatus: The function that receives the status code of the response.
  init(_ length: Int, noteStatus: @escaping (Int) -> Void) {
    rest = length
    self.noteStatus = noteStatus
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard rest > 0 else { return }
    let received = unwrapInboundIn(data).readableBytesView
    rest -= received.count
    if let beginning = line {
      let end = received.firstIndex(of: UInt8(ascii: "\n"))
      let read = beginning + received[..<(end ?? received.endIndex)]
      line = end == nil ? read : nil
      if end != nil, let status = Self.status(read) { noteStatus(status) }
    }
    context.fireChannelRead(data)
    if rest <= 0 { context.fireErrorCaught(WebFailure(.noHTTP)) }
  }

  /// Returns the status code in a status line; nil for another line, and for a code that does not suffice without the
  /// header: that of an interim response (less than 200) or of a redirect.
  private static func status(_ line: [UInt8]) -> Int? {
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count > 1, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3 else { return nil }
    return Int(words[1]).flatMap { (200..<300).contains($0) || $0 >= 400 ? $0 : nil }
  }
}
