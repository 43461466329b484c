import LineFraming
import LineProtocol
import NIOCore

/// How long a client may be silent from now on, and what it is told when it was silent for longer.
struct SilenceLimit: Sendable {
  var limit: TimeAmount?
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
  private var silenceCheck: Scheduled<Void>?

  init(_ silence: SilenceLimit) {
    self.silence = silence
  }

  func handlerAdded(context: ChannelHandlerContext) {
    lastHeard = .now()
    scheduleSilenceCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelCheck() }

  func channelInactive(context: ChannelHandlerContext) {
    cancelCheck()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !silence.isDeadline { lastHeard = .now() }
    context.fireChannelRead(data)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let limit = event as? SilenceLimit else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    silence = limit
    lastHeard = .now()
    scheduleSilenceCheck(context)
    promise?.succeed(())
  }

  private func scheduleSilenceCheck(_ context: ChannelHandlerContext) {
    silenceCheck?.cancel()
    silenceCheck = nil
    guard let limit = silence.limit else { return }
    silenceCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastHeard + limit) {
      if NIODeadline.now() - self.lastHeard >= limit {
        let line = ServerLine.error(self.silence.error, tag: nil, [:])
        context.writeAndFlush(self.wrapOutboundOut(line.bytes), promise: nil)
        context.close(promise: nil)
      } else {
        self.scheduleSilenceCheck(context)
      }
    }
  }

  private func cancelCheck() {
    silenceCheck?.cancel()
    silenceCheck = nil
  }
}
