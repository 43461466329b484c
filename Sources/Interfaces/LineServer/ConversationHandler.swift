import LineFraming
import Logging
import NIOCore
import Ports
import Connections

/// The handler that runs the conversation of one connection. It starts a task only when lines arrive, so that a silent
/// connection needs only the memory of its state.
final class ConversationHandler<Service: LineService>: ChannelDuplexHandler {
  typealias InboundIn = ReceivedLine
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    /// The connection is not accepted yet, or its TLS handshake is not complete.
    case notReady
    case idle(Conversation)
    /// A task is processing lines of the conversation.
    case busy
  }

  private let acceptor: ConnectionAcceptor<Service>
  /// The result of the TLS handshake; nil on a connection without TLS.
  private let tlsPeer: EventLoopFuture<TLSPeerInfo>?
  private let number = IDGenerator.connections.next()
  private var context: ChannelHandlerContext?
  /// The peer; nil until the connection is accepted.
  private var peer: Peer?
  private var state = State.notReady
  /// The lines that wait until a task processes them. While lines wait, the handler reads no further input.
  private var lines: ArraySlice<ReceivedLine> = []
  private var isReadHeld = false
  private var isDismissed = false
  /// Whether the client will send no more lines, because it closed the connection or its sending direction.
  private(set) var isEnded = false

  /// The maximum number of lines that may wait. On an open connection all waiting lines come from one read, and one
  /// read never has more lines than this maximum.
  static var mostLines: Int { Transport.longestSocketLine }

  init(_ acceptor: ConnectionAcceptor<Service>, _ tlsPeer: EventLoopFuture<TLSPeerInfo>?) {
    self.acceptor = acceptor
    self.tlsPeer = tlsPeer
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    do {
      peer = try acceptor.accept(context.channel, number)
    } catch {
      return fail(error)
    }
    guard peer != nil else { return context.close(promise: nil) }
    guard let tlsPeer else { return begin(nil) }
    tlsPeer.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let tlsPeer): self.begin(tlsPeer)
      case .failure(let error): self.fail(error)
      }
    }
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
    // When a connection ends, the rest of the input arrives in one read, and this rest may have any length.
    guard lines.count < Self.mostLines else { return context.close(promise: nil) }
    lines.append(unwrapInboundIn(data))
    proceed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Dismissal { dismiss() }
    if case .inputClosed? = event as? ChannelEvent {
      // The client may have closed only its sending direction, as `nc -N` does. The gateway still sends the answers to
      // such a client.
      isEnded = true
      if case .notReady = state { context.close(promise: nil) } else { proceed() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    dismiss()
    context.close(mode: mode, promise: promise)
  }

  /// Drops the input of a connection that the gateway closes.
  private func dismiss() {
    isDismissed = true
    lines = []
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

  func channelInactive(context: ChannelHandlerContext) {
    isEnded = true
    proceed()
    context.fireChannelInactive()
  }

  func read(context: ChannelHandlerContext) {
    if lines.isEmpty { context.read() } else { isReadHeld = true }
  }

  /// Starts a task that processes the waiting lines. If such a task is already running, the function does nothing.
  private func proceed() {
    switch state {
    case .busy: break
    case .notReady: if isEnded, let peer { acceptor.remove(number, peer) }
    case .idle(let conversation):
      guard let context, isEnded || !lines.isEmpty else { return }
      state = .busy
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      let task = Task(executorPreference: conversation.connection.writeQueue.executor) { [acceptor] in
        await acceptor.converse(conversation, this)
      }
      acceptor.registry.update(task, for: number)
    }
  }

  /// Removes and returns the next waiting line; nil if no line waits.
  func nextLine() -> ReceivedLine? {
    let line = lines.popFirst()
    if lines.isEmpty {
      // The assignment of an empty array releases the memory of the old array. Most clients rarely send lines, so they
      // do not need this memory.
      lines = []
      if isReadHeld {
        isReadHeld = false
        context?.read()
      }
    }
    return line
  }

  /// Gives the conversation back to the handler at the end of a task, so that the next task can continue the
  /// conversation.
  ///
  /// - Returns: False if the client will send no more lines. The task must then end the conversation.
  func rest(_ conversation: Conversation) -> Bool {
    guard !isEnded else { return false }
    state = .idle(conversation)
    acceptor.registry.update(nil, for: number)
    return true
  }
}
