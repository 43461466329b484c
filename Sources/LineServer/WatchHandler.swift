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

/// Closes connections that say nothing for too long, and those that do not read what they are told.
final class WatchHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// A client whose queue stays full for that long is closed.
  static let slowConsumer = TimeAmount.seconds(10)

  private var silence: SilenceLimit
  private var lastHeard: NIODeadline = .now()
  private var silenceCheck: Scheduled<Void>?
  private var fullCheck: Scheduled<Void>?

  init(_ silence: SilenceLimit) {
    self.silence = silence
  }

  func handlerAdded(context: ChannelHandlerContext) {
    lastHeard = .now()
    scheduleSilenceCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelChecks() }

  func channelInactive(context: ChannelHandlerContext) {
    cancelChecks()
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

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    fullCheck?.cancel()
    fullCheck = nil
    if !context.channel.isWritable {
      fullCheck = context.eventLoop.assumeIsolated().scheduleTask(in: Self.slowConsumer) {
        // Its queue is full: there is no room to tell it why.
        context.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  private func scheduleSilenceCheck(_ context: ChannelHandlerContext) {
    silenceCheck?.cancel()
    silenceCheck = nil
    guard let limit = silence.limit else { return }
    silenceCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastHeard + limit) {
      if NIODeadline.now() - self.lastHeard >= limit {
        let line = ServerLine.error(self.silence.error, tag: nil, [:]).bytes
        context.writeAndFlush(self.wrapOutboundOut(line), promise: nil)
        context.close(promise: nil)
      } else {
        self.scheduleSilenceCheck(context)
      }
    }
  }

  private func cancelChecks() {
    silenceCheck?.cancel()
    fullCheck?.cancel()
    silenceCheck = nil
    fullCheck = nil
  }
}
