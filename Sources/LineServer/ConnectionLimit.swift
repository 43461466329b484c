import NIOCore

/// Accepts no more clients than there is room for; the others wait in the socket's queue until one leaves.
///
/// File descriptors must not run out: the runtime's own threads need one now and then, and end the process where they get
/// none. (libdispatch reads `/proc/self/task/N/stat` to count its workers, and traps where it cannot.)
final class ConnectionLimit: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private let limit: Int
  private var open = 0
  /// That more clients are wanted, and there is no room for them.
  private var isReadHeld = false

  init(_ limit: Int) { self.limit = max(1, limit) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    open += 1
    let loopBound = context.loopBound
    let this = NIOLoopBound(self, eventLoop: context.eventLoop)
    unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      this.value.left(loopBound.value)
    }
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    if open < limit { context.read() } else { isReadHeld = true }
  }

  private func left(_ context: ChannelHandlerContext) {
    open -= 1
    guard isReadHeld, open < limit else { return }
    isReadHeld = false
    context.read()
  }
}
