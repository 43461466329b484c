import LineFraming
import LineProtocol
import NIOCore

/// How long a client may be silent from now on, and what it is told when it was silent for longer.
struct SilenceLimit: Sendable {
  var limit: TimeAmount?
  /// After how long, less than the limit, it is asked whether it is there, which one that lives answers.
  var question: TimeAmount?
  /// Whatever the client says meanwhile does not extend it.
  var isDeadline = false
  var error: LineError
}

/// Closes connections that say nothing for too long.
final class WatchHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var silence: SilenceLimit
  private var lastHeard: NIODeadline = .now()
  /// Whether it was asked since it was heard.
  private var isAsked = false
  private var silenceCheck: Scheduled<Void>?

  init(_ silence: SilenceLimit) {
    self.silence = silence
  }

  func handlerAdded(context: ChannelHandlerContext) {
    lastHeard = context.eventLoop.now
    scheduleSilenceCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelCheck() }

  func channelInactive(context: ChannelHandlerContext) {
    cancelCheck()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !silence.isDeadline {
      lastHeard = context.eventLoop.now
      isAsked = false
    }
    context.fireChannelRead(data)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let limit = event as? SilenceLimit else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    silence = limit
    lastHeard = context.eventLoop.now
    isAsked = false
    scheduleSilenceCheck(context)
    promise?.succeed(())
  }

  private func scheduleSilenceCheck(_ context: ChannelHandlerContext) {
    silenceCheck?.cancel()
    silenceCheck = nil
    guard let limit = silence.limit else { return }
    let wait = isAsked ? limit : silence.question ?? limit
    silenceCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastHeard + wait) {
      let silent = context.eventLoop.now - self.lastHeard
      if silent >= limit {
        self.say(.error(self.silence.error, tag: nil, [:]), context)
        context.fireUserInboundEventTriggered(Dismissal())
        context.close(promise: nil)
      } else {
        if let question = self.silence.question, silent >= question, !self.isAsked { self.ask(context) }
        self.scheduleSilenceCheck(context)
      }
    }
  }

  /// One that does not read what it is told is not asked.
  private func ask(_ context: ChannelHandlerContext) {
    isAsked = true
    if context.channel.isWritable { say(.ping, context) }
  }

  private func say(_ line: ServerLine, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(line.bytes), promise: nil)
  }

  private func cancelCheck() {
    silenceCheck?.cancel()
    silenceCheck = nil
  }
}
