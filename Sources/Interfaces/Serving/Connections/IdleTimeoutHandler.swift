package import LineProtocol
package import NIOCore
import Ports

/// A time limit after which the gateway closes a connection. Each input from the client starts the time again, unless
/// `isDeadline` is true.
package struct SilenceLimit: Sendable {
  /// The time after which the gateway closes the connection; nil for no limit.
  package var limit: TimeAmount?
  /// The time without input after which the gateway sends a ping; nil for no pings. The time must be shorter than
  /// `limit`.
  package var question: TimeAmount?
  /// Whether the time limit is a fixed deadline. If false, each input from the client starts the time again.
  package var isDeadline: Bool
  /// The error that the gateway sends before the connection closes.
  package var error: LineError

  package init(limit: TimeAmount?, question: TimeAmount? = nil, isDeadline: Bool = false, error: LineError) {
    self.limit = limit
    self.question = question
    self.isDeadline = isDeadline
    self.error = error
  }
}

/// A handler that closes a connection after a time limit (`SilenceLimit`), and sends pings to idle clients.
package final class IdleTimeoutHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private var silence: SilenceLimit
  private var lastReceived: NIODeadline = .now()
  /// Whether the time for a ping has already passed since the latest input from the client.
  private var isAsked = false
  private var silenceCheck: Scheduled<Void>?
  /// Whether the gateway does not read the connection, because received protocol lines wait. The gateway then does not
  /// know whether the client is silent.
  private var isReadHeld = false

  package init(_ silence: SilenceLimit) {
    self.silence = silence
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    lastReceived = context.eventLoop.now
    scheduleSilenceCheck(context)
  }

  package func handlerRemoved(context: ChannelHandlerContext) { silenceCheck?.cancel() }

  package func read(context: ChannelHandlerContext) {
    if isReadHeld, !silence.isDeadline { lastReceived = context.eventLoop.now }
    isReadHeld = false
    context.read()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReadHeld = true
    if !silence.isDeadline {
      lastReceived = context.eventLoop.now
      isAsked = false
    }
    context.fireChannelRead(data)
  }

  package func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let limit = event as? SilenceLimit else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    silence = limit
    lastReceived = context.eventLoop.now
    isAsked = false
    scheduleSilenceCheck(context)
    promise?.succeed(())
  }

  private func scheduleSilenceCheck(_ context: ChannelHandlerContext) {
    silenceCheck?.cancel()
    guard let limit = silence.limit else { return }
    let wait = isAsked ? limit : silence.question ?? limit
    silenceCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastReceived + wait) {
      if self.isReadHeld, !self.silence.isDeadline { self.lastReceived = context.eventLoop.now }
      let silent = context.eventLoop.now - self.lastReceived
      if silent >= limit {
        self.send(.error(self.silence.error, tag: nil, [:]), context)
        context.fireUserInboundEventTriggered(Dismissal())
        context.close(promise: nil)
      } else {
        if let question = self.silence.question, silent >= question, !self.isAsked { self.sendPing(context) }
        self.scheduleSilenceCheck(context)
      }
    }
  }

  /// Sends a ping. The function sends nothing while earlier protocol lines wait because the client does not read.
  private func sendPing(_ context: ChannelHandlerContext) {
    isAsked = true
    if context.channel.isWritable { send(.ping, context) }
  }

  private func send(_ line: ServerLine, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(line.bytes), promise: nil)
  }
}
