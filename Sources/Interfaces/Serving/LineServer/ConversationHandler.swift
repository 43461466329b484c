import Logging
import NIOCore
import Ports

/// The NIO handler that passes the received protocol lines of one connection to its `Conversation`, which answers the
/// lines. A task runs only while lines are processed, so that an idle connection needs little memory. The handler is the
/// last one of its connection.
final class ConversationHandler<Service: LineService>: ChannelDuplexHandler {
  typealias InboundIn = ReceivedLine
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    /// The connection is not accepted yet, or its TLS handshake is not complete.
    case notReady
    case idle(Conversation)
    /// A task is processing protocol lines of the client.
    case busy
  }

  private let acceptor: ConnectionAcceptor<Service>
  /// The result of the TLS handshake; nil for a connection without TLS.
  private let tlsPeer: EventLoopFuture<TLSPeerInfo>?
  private let number = IDGenerator.connections.next()
  private var context: ChannelHandlerContext?
  private var peer: Peer?
  private var state = State.notReady
  /// The received protocol lines that no task has processed yet. While lines wait, the handler reads no further input.
  private var lines: ArraySlice<ReceivedLine> = []
  private var isReadHeld = false
  private var isDismissed = false
  /// Whether the client will send no more protocol lines, because the client closed the connection or its sending
  /// direction.
  private var isEnded = false
  /// Whether the client can still receive replies.
  var isConnected: Bool { context?.channel.isActive ?? false }

  /// The maximum count of waiting protocol lines. One read cannot exceed the maximum: a read has at most 4096 bytes,
  /// and each line has at least one byte.
  static var mostLines: Int { Transport.longestSocketLine }

  init(_ acceptor: ConnectionAcceptor<Service>, _ tlsPeer: EventLoopFuture<TLSPeerInfo>?) {
    self.acceptor = acceptor
    self.tlsPeer = tlsPeer
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    let peer: Peer
    do {
      peer = try Peer(of: context.channel, over: acceptor.listener.transport)
    } catch {
      return fail(error)
    }
    self.peer = peer
    guard acceptor.accept(context.channel, number, from: peer) else { return context.close(promise: nil) }
    guard let tlsPeer else { return begin(nil) }
    // `TLSHandler` closes the connection after a failure.
    tlsPeer.assumeIsolated().whenSuccess { self.begin($0) }
  }

  private func begin(_ tlsPeer: TLSPeerInfo?) {
    guard let context, let peer, !isEnded else { return }
    state = .idle(acceptor.begin(context.channel, number, peer, tlsPeer))
  }

  private func fail(_ error: any Error) {
    acceptor.logger.debug("connection failed", metadata: ["cause": "\(error)"])
    context?.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDismissed else { return }
    // When a connection ends, the last read may contain more lines than `mostLines`.
    guard lines.count < Self.mostLines else { return context.close(promise: nil) }
    lines.append(unwrapInboundIn(data))
    proceed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Dismissal { dismiss() }
    if case .inputClosed? = event as? ChannelEvent {
      // The client may have closed only its sending direction, as `nc -N` does. The client still receives the answers.
      isEnded = true
      if case .notReady = state { context.close(promise: nil) } else { proceed() }
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    dismiss()
    context.close(mode: mode, promise: promise)
  }

  /// Discards all received protocol lines and ignores further input, because the gateway is closing the connection.
  private func dismiss() {
    isDismissed = true
    lines = []
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

  func channelInactive(context: ChannelHandlerContext) {
    isEnded = true
    proceed()
  }

  func read(context: ChannelHandlerContext) {
    if lines.isEmpty { context.read() } else { isReadHeld = true }
  }

  /// Starts a task that processes the waiting protocol lines, unless a task is already running.
  private func proceed() {
    switch state {
    case .busy: break
    case .notReady: if isEnded, let peer { acceptor.remove(number, peer) }
    case .idle(let conversation):
      guard let context else { return }
      state = .busy
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      let task = Task(executorPreference: conversation.connection.executor) { [acceptor] in
        await acceptor.converse(conversation, this)
      }
      acceptor.registry.update(task, for: number)
    }
  }

  func nextLine() -> ReceivedLine? {
    let line = lines.popFirst()
    if lines.isEmpty {
      // A new empty array releases the memory of the old array. Most clients rarely need this memory.
      lines = []
      if isReadHeld {
        isReadHeld = false
        context?.read()
      }
    }
    return line
  }

  /// Stores the conversation (the dialog with the client) until the next protocol line arrives. Returns false if the
  /// client will send no more lines. The caller must then end the conversation.
  func rest(_ conversation: Conversation) -> Bool {
    guard !isEnded else { return false }
    state = .idle(conversation)
    acceptor.registry.update(nil, for: number)
    return true
  }
}
