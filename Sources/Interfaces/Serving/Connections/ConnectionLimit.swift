import NIOCore

/// A handler that limits the count of open connections of a listener. Further connections wait in the socket's backlog.
///
/// The limit keeps file descriptors free for the files of the daemon and for the Swift runtime. A daemon that was built
/// with a compiler before Swift 6.3 runs on libdispatch. Without a free descriptor, libdispatch cannot count its
/// threads in `/proc/self/task/N/stat`, and ends the process.
final class ConnectionLimit: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private let limit: Int
  private var open = 0
  /// Whether a connection waits in the socket's backlog, because the listener has the maximum count of connections.
  private var isReadHeld = false
  private var isLookScheduled = false
  /// A function that closes one connection without authentication, unless all such connections are younger than 1 s.
  private let makeRoom: @Sendable () -> Void
  /// The interval between two calls of `makeRoom` while a connection waits in the socket's backlog.
  private static let rhythm = TimeAmount.seconds(1)

  init(_ limit: Int, makeRoom: @escaping @Sendable () -> Void) {
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
    closeOldestIfFull(context)
  }

  private func closeOldestIfFull(_ context: ChannelHandlerContext) {
    guard isReadHeld, context.channel.isActive else { return }
    makeRoom()
    guard !isLookScheduled else { return }
    isLookScheduled = true
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.rhythm) {
      self.isLookScheduled = false
      self.closeOldestIfFull(context)
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
