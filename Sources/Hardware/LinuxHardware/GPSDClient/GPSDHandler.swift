import Base
import GNSS
import NIOCore
import OperatingSystem

enum GPSDEvent: Sendable {
  /// gpsd has sent its greeting, the report VERSION.
  case greeted
  case epoch(Epoch)
  case notGPSD
  /// gpsd has not sent its greeting, the report VERSION, within the time limit.
  case silent
}

/// A channel handler for one connection to gpsd. The handler requests gpsd's reports, and converts the reports to
/// events.
final class GPSDHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = GPSDEvent
  typealias OutboundOut = ByteBuffer

  private static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"

  /// The time limit for gpsd's greeting, which gpsd normally sends immediately.
  private static let greetingTimeout = TimeAmount.seconds(10)

  private var reader = GPSDReader()
  private var hasGreeted = false
  private var timer: Scheduled<Void>?

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: GPSDHandler.watch)), promise: nil)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: GPSDHandler.greetingTimeout) {
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
    // One read may contain the greeting and a position. The handler delivers the event `greeted` first, because a port
    // must call `opened` before it delivers a position.
    for epoch in epochs { context.fireChannelRead(wrapInboundOut(.epoch(epoch))) }
    if reader.isNotGPSD { context.fireChannelRead(wrapInboundOut(.notGPSD)) }
    scheduleTimer(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  private func scheduleTimer(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    guard let deadline = reader.nextDeadline else { return }
    let wait = (deadline - SystemClock.monotonic).clampedNanoseconds
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: .nanoseconds(max(0, wait))) {
      let (handler, context) = bound.value
      handler.timerFired(context)
    }
  }

  private func timerFired(_ context: ChannelHandlerContext) {
    reader.idle(at: SystemClock.monotonic) { epoch in
      context.fireChannelRead(wrapInboundOut(.epoch(epoch)))
      context.fireChannelReadComplete()
    }
    scheduleTimer(context)
  }
}
