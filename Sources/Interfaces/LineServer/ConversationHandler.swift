import LineFraming
import Logging
import NIOCore

/// Has the conversation of one connection, line after line. A task is there while something is said, and no longer: who is
/// silent costs no more than what is remembered of them.
final class ConversationHandler<Service: LineService>: ChannelDuplexHandler {
  typealias InboundIn = ReceivedLine
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    /// It is not known yet who came, or there is no place for them.
    case apart
    case silent(Conversation)
    /// A task has it.
    case talking
  }

  private let entrance: Entrance<Service>
  /// What TLS agrees on; nil where there is none.
  private let agreement: EventLoopFuture<Agreement>?
  private let number = LineServer.numbers.next()
  private var context: ChannelHandlerContext?
  /// Nil until the connection is accepted.
  private var peer: Peer?
  private var state = State.apart
  /// What waits to be heard. While something does, nothing more is read.
  private var lines: ArraySlice<ReceivedLine> = []
  private var isReadHeld = false
  private var isDeaf = false
  /// Nothing more comes.
  private(set) var isEnded = false

  /// Lines that wait at most. An open connection has no more: they are from one read.
  static var mostLines: Int { LineServer.longestLine }

  init(_ entrance: Entrance<Service>, _ agreement: EventLoopFuture<Agreement>?) {
    self.entrance = entrance
    self.agreement = agreement
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    do {
      peer = try entrance.accept(context.channel, number)
    } catch {
      return fail(error)
    }
    guard peer != nil else { return context.close(promise: nil) }
    guard let agreement else { return meet(nil) }
    agreement.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let agreement): self.meet(agreement)
      case .failure(let error): self.fail(error)
      }
    }
  }

  private func meet(_ agreement: Agreement?) {
    guard let context, let peer, !isEnded else { return }
    state = .silent(entrance.meet(context.channel, number, peer, agreement))
  }

  private func fail(_ error: any Error) {
    entrance.logger.debug("connection failed", metadata: ["cause": "\(error)"])
    context?.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDeaf else { return }
    // What came before the end comes at once, however much it is, and the end with it.
    guard lines.count < Self.mostLines else { return context.close(promise: nil) }
    lines.append(unwrapInboundIn(data))
    proceed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Dismissal { dismiss() }
    if case .inputClosed? = event as? ChannelEvent {
      // Who says nothing more, as nc -N does, is still answered.
      isEnded = true
      if case .apart = state { context.close(promise: nil) } else { proceed() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    dismiss()
    context.close(mode: mode, promise: promise)
  }

  /// Whom the gateway has closed is not heard any more, whatever they have said meanwhile.
  private func dismiss() {
    isDeaf = true
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

  /// Begins to hear what waits, unless that is being done.
  private func proceed() {
    switch state {
    case .talking: break
    case .apart: if isEnded, let peer { entrance.leave(number, peer) }
    case .silent(let conversation):
      guard let context, isEnded || !lines.isEmpty else { return }
      state = .talking
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      let task = Task(executorPreference: conversation.connection.post.executor) { [entrance] in
        await entrance.converse(conversation, this)
      }
      entrance.attendance.note(task, for: number)
    }
  }

  /// What waits to be heard next.
  func nextLine() -> ReceivedLine? {
    let line = lines.popFirst()
    if lines.isEmpty {
      // Most say little: what they say is not kept room for.
      lines = []
      if isReadHeld {
        isReadHeld = false
        context?.read()
      }
    }
    return line
  }

  /// Nothing more is being done.
  /// - Returns: false where nothing more comes.
  func rest(_ conversation: Conversation) -> Bool {
    guard !isEnded else { return false }
    state = .silent(conversation)
    entrance.attendance.note(nil, for: number)
    return true
  }
}

/// Told to a conversation where its connection is closed from within the channel.
struct Dismissal: Sendable {}
