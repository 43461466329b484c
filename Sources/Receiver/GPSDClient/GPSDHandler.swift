import Clocks
import GNSS
import NIOCore
import OperatingSystem

/// What a connection to gpsd tells.
enum GPSDEvent: Sendable {
  /// It has introduced itself.
  case greeted
  case epoch(Epoch)
  /// Something else listens there.
  case stranger
  /// It has not introduced itself in time.
  case silent
}

/// Watches gpsd on one connection.
final class GPSDHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDEvent
  typealias OutboundOut = ByteBuffer

  private static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"

  /// gpsd introduces itself at once: whoever does not hangs.
  private static let patience = TimeAmount.seconds(10)

  private var reader = GPSDReader()
  private var hasGreeted = false
  private var alarm: Scheduled<Void>?

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: GPSDHandler.watch)), promise: nil)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: GPSDHandler.patience) {
      let (handler, context) = bound.value
      guard !handler.hasGreeted, context.channel.isActive else { return }
      context.fireChannelRead(handler.wrapInboundOut(.silent))
      context.fireChannelReadComplete()
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = SystemClock.monotonic
    var epochs: [Epoch] = []
    reader.consume(unwrapInboundIn(data).readableBytesView, at: now) { epochs.append($0) }
    if !hasGreeted, reader.release != nil {
      hasGreeted = true
      context.fireChannelRead(wrapInboundOut(.greeted))
    }
    // It may introduce itself and tell of a position in one breath: the port is open first.
    for epoch in epochs { context.fireChannelRead(wrapInboundOut(.epoch(epoch))) }
    if reader.isStranger { context.fireChannelRead(wrapInboundOut(.stranger)) }
    setAlarm(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    context.fireChannelInactive()
  }

  private func setAlarm(_ context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = nil
    guard let deadline = reader.nextDeadline else { return }
    let wait = (deadline - SystemClock.monotonic).clampedNanoseconds
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    alarm = context.eventLoop.scheduleTask(in: .nanoseconds(max(0, wait))) {
      let (handler, context) = bound.value
      handler.ring(context)
    }
  }

  private func ring(_ context: ChannelHandlerContext) {
    reader.idle(at: SystemClock.monotonic) { epoch in
      context.fireChannelRead(wrapInboundOut(.epoch(epoch)))
      context.fireChannelReadComplete()
    }
    setAlarm(context)
  }
}
