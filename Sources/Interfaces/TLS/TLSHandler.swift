package import NIOCore
internal import NIOTLS

/// The NIO handler that encrypts a connection with TLS (RFC 8446, RFC 5246). It reports the end of the handshake with the
/// event `TLSUserEvent.handshakeCompleted`, and each failure with a `TLSError`. A failure closes the connection.
package final class TLSHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private enum State {
    case handshake
    case open
    /// This side has sent `close_notify`, and waits for that of the peer.
    case closing(EventLoopPromise<Void>?, limit: Scheduled<Void>)
    case closed
  }

  /// The event that closes a connection at once: bytes that still wait in the channel are not sent.
  package struct Abort: Sendable {
    package init() {}
  }

  /// The longest wait for the peer's `close_notify` at the end of a connection.
  private static let closingLimit = TimeAmount.seconds(1)
  /// The most bytes of answers to messages of TLS itself that may wait for a peer that does not read.
  private static let mostAnswers = 4096

  private let connection: TLSConnection
  private let isClient: Bool
  private var state = State.handshake
  /// The writes before the end of the handshake, and those after the last flush.
  private var waiting = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(initialCapacity: 4)
  /// Whether bytes of the current read operation went to the next handler.
  private var hasDelivered = false
  /// The count of bytes that OpenSSL sent as answers since the channel was last writable at the arrival of data. A peer
  /// could make OpenSSL answer forever, for example with key updates, and read nothing.
  private var answers = 0

  package init(server context: TLSContext) {
    connection = TLSConnection(server: context)
    isClient = false
  }

  /// - Parameter host: The name or the address that the certificate of the server must have.
  package init(client context: TLSContext, host: String) throws(TLSError) {
    connection = try TLSConnection(client: context, host: host)
    isClient = true
  }

  /// The certificate that the peer sent; nil if it sent none, and before the end of the handshake.
  package var peerCertificate: TLSCertificate? { connection.peerCertificate }

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { advance(context) }
  }

  package func handlerRemoved(context: ChannelHandlerContext) { end(ChannelError.ioOnClosedChannel) }

  package func channelActive(context: ChannelHandlerContext) {
    // The handshake can close the channel, so the other handlers learn of its beginning first.
    context.fireChannelActive()
    advance(context)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    switch state {
    case .handshake, .open:
      end(TLSError.ended)
      context.fireErrorCaught(TLSError.ended)
    case .closing, .closed: end(ChannelError.ioOnClosedChannel)
    }
    context.fireChannelInactive()
  }

  // MARK: Input

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.receive(unwrapInboundIn(data))
    advance(context)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    // The next handler waits for bytes, and this operation brought only messages of TLS itself.
    if !hasDelivered { context.read() }
    hasDelivered = false
    context.fireChannelReadComplete()
  }

  /// Continues the handshake, and then decrypts all received bytes.
  private func advance(_ context: ChannelHandlerContext) {
    if case .handshake = state { shakeHands(context) }
    while true {
      switch state {
      case .handshake, .closed: return
      case .open, .closing: break
      }
      var bytes = context.channel.allocator.buffer(capacity: 0)
      switch connection.read(&bytes) {
      case .done:
        // After its end, this side ignores the remaining bytes of the peer.
        guard case .open = state else { continue }
        hasDelivered = true
        if context.channel.isWritable { answers = 0 }
        context.fireChannelRead(wrapInboundOut(bytes))
      case .needsInput: return answer(context)
      case .ended: return finish(context)
      case .failed(let error): return fail(context, error)
      }
    }
  }

  private func shakeHands(_ context: ChannelHandlerContext) {
    switch connection.shakeHands() {
    case .done:
      // The configuration of the machine can permit ciphers without a certificate, which would verify nothing.
      if isClient, connection.peerCertificate == nil {
        return fail(context, .untrusted("the server has no certificate"))
      }
      state = .open
      send(context)
      context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
      encrypt(context)
    case .needsInput: send(context)
    case .ended: fail(context, .ended)
    case .failed(let error): fail(context, error)
    }
  }

  // MARK: Output

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch state {
    case .handshake, .open: waiting.append((unwrapOutboundIn(data), promise))
    case .closing, .closed: promise?.fail(ChannelError.ioOnClosedChannel)
    }
  }

  package func flush(context: ChannelHandlerContext) {
    waiting.mark()
    encrypt(context)
    context.flush()
  }

  /// Encrypts and sends the writes up to the last flush.
  private func encrypt(_ context: ChannelHandlerContext) {
    guard case .open = state, waiting.hasMark else { return }
    var first: EventLoopPromise<Void>?
    while waiting.hasMark, let (bytes, promise) = waiting.popFirst() {
      // All these bytes go to the channel as one write, so all their promises have the same result.
      if let first { first.futureResult.cascade(to: promise) } else { first = promise }
      let error: TLSError
      switch connection.write(bytes) {
      case .done: continue
      case .needsInput, .ended: error = .other("the peer has not finished a message of TLS")
      case .failed(let reason): error = reason
      }
      first?.fail(error)
      return fail(context, error)
    }
    context.writeAndFlush(wrapOutboundOut(connection.send(context.channel.allocator)), promise: first)
  }

  /// Sends the answers of OpenSSL to the messages of an open connection.
  private func answer(_ context: ChannelHandlerContext) {
    answers += connection.waitingBytes
    guard answers <= Self.mostAnswers else { return fail(context, .other("the peer sends too many messages of TLS")) }
    send(context)
  }

  /// Sends the messages of TLS itself.
  private func send(_ context: ChannelHandlerContext) {
    let bytes = connection.send(context.channel.allocator)
    if bytes.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
  }

  // MARK: End

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode == .all else {
      promise?.fail(ChannelError.operationUnsupported)
      return
    }
    switch state {
    case .open:
      connection.shutDown()
      send(context)
      let loopBound = context.loopBound
      let limit = context.eventLoop.scheduleTask(in: Self.closingLimit) { [loopBound] in
        loopBound.value.close(promise: nil)
      }
      state = .closing(promise, limit: limit)
      dropWrites(ChannelError.ioOnClosedChannel)
    case .closing(let first, let limit):
      if let first { first.futureResult.cascade(to: promise) } else { state = .closing(promise, limit: limit) }
    case .handshake, .closed:
      end(ChannelError.ioOnClosedChannel)
      context.close(promise: promise)
    }
  }

  package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is Abort else { return context.triggerUserOutboundEvent(event, promise: promise) }
    end(ChannelError.ioOnClosedChannel)
    context.close(promise: promise)
  }

  /// Closes the channel after the peer's `close_notify`.
  private func finish(_ context: ChannelHandlerContext) {
    if case .open = state {
      connection.shutDown()
      send(context)
      end(ChannelError.ioOnClosedChannel)
    }
    context.close(promise: nil)
  }

  private func fail(_ context: ChannelHandlerContext, _ error: TLSError) {
    // The alert for the peer.
    send(context)
    // A connection that closes has nothing to lose any more.
    if case .closing = state { return context.close(promise: nil) }
    end(error)
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }

  private func end(_ error: any Error) {
    if case .closing(let promise, let limit) = state {
      limit.cancel()
      promise?.succeed()
    }
    state = .closed
    dropWrites(error)
  }

  private func dropWrites(_ error: any Error) {
    while let (_, promise) = waiting.popFirst() { promise?.fail(error) }
  }
}
