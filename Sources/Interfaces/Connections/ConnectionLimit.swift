import NIOCore

/// Limits the connections of a listener; further ones wait in the socket's queue.
///
/// File descriptors must not run out, because the runtime needs them as well: libdispatch reads `/proc/self/task/N/stat` to
/// count its workers, and traps if it cannot.
final class ConnectionLimit: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private let limit: Int
  private var open = 0
  /// Whether the channel wants to accept a connection for which there is no room.
  private var isReadHeld = false
  private var isLookScheduled = false
  /// Closes a connection that has not authenticated, if there is one that may be closed.
  private let makeRoom: @Sendable () -> Void
  /// The interval of attempts to make room while clients wait.
  private static let rhythm = TimeAmount.seconds(1)

  init(_ limit: Int, makeRoom: @escaping @Sendable () -> Void = {}) {
    self.limit = max(1, limit)
    self.makeRoom = makeRoom
  }

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
    guard open >= limit else { return context.read() }
    isReadHeld = true
    lookForRoom(context)
  }

  private func lookForRoom(_ context: ChannelHandlerContext) {
    guard isReadHeld, context.channel.isActive else { return }
    makeRoom()
    guard !isLookScheduled else { return }
    isLookScheduled = true
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rhythm) {
      self.isLookScheduled = false
      self.lookForRoom(context)
    }
  }

  private func left(_ context: ChannelHandlerContext) {
    open -= 1
    AllocatorTrim.shared.noteDeparture(on: context.eventLoop)
    guard isReadHeld, open < limit else { return }
    isReadHeld = false
    context.read()
  }
}
