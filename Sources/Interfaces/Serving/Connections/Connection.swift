package import Base
package import LineProtocol
package import NIOCore
package import Ports

/// The gateway's connection to one client, over a socket or a serial port.
package final class Connection: ClientConnection, Hashable {
  /// The count of fixes that all connections together have dropped because a client reads too slowly.
  package static let droppedUpdates = Counter()
  /// The count of connections that the gateway has closed because a client did not read.
  package static let slowConsumers = Counter()

  package let number: UInt64
  package let role: ClientRole
  package let transport: Transport
  package let peer: Peer
  package var sink: (any OutputSink)? { nil }
  private let channel: any Channel
  private let state = SendState()
  private let found: NIOLoopBoundBox<BackpressureHandler?>

  package init(number: UInt64, role: ClientRole, transport: Transport, peer: Peer, channel: any Channel) {
    self.number = number
    self.role = role
    self.transport = transport
    self.peer = peer
    self.channel = channel
    found = .makeEmptyBox(valueType: BackpressureHandler.self, eventLoop: channel.eventLoop)
  }

  // MARK: Sending

  package func send(_ line: ServerLine) {
    var outgoing = OutgoingLine(line)
    // The maximum length excludes the line end, and includes the checksum.
    if let longest = transport.longestLine, outgoing.bytes.readableBytes - 1 > longest - Checksum.length {
      outgoing = OutgoingLine(line.truncated(to: longest - Checksum.length))
    }
    enqueue(outgoing)
  }

  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    let rule = OutgoingLine.Rule.once(message: message.id, until: until)
    enqueue(OutgoingLine(ServerLine.message(message).bytes, rule))
  }

  package func send(update line: UpdateLine) {
    enqueue(OutgoingLine(line.bytes, .updates(sid: line.sid)))
  }

  /// Sends a text of a protocol other than the gateway's own line protocol, for example a gpsd report without a
  /// position.
  /// - Parameter isBeat: Whether the text is a periodic report, which replaces an older periodic report in the send
  ///   queue.
  package func send(foreign text: String, isBeat: Bool = false) {
    enqueue(OutgoingLine(ByteBuffer(string: text), isBeat ? .beat : .reply))
  }

  private func enqueue(_ line: OutgoingLine) {
    if state.enqueue(line) { channel.eventLoop.execute { self.handler?.proceed() } }
  }

  /// Whether a new protocol line would wait in the send queue, because the client reads too slowly or `isHeld` is true.
  package var isFull: Bool { state.isFull || state.isHeld }

  /// Whether the gateway must hold back fixes, because the client gets a fix only when the client asks.
  package var isHeld: Bool {
    get { state.isHeld }
    set { state.isHeld = newValue }
  }

  /// Whether the client gets fixes only on request, as a gpsd client does with `?POLL`.
  package var isPolled: Bool {
    get { state.isPolled }
    set { state.isPolled = newValue }
  }

  package func recall(_ kinds: FixKinds) {
    state.erase(kinds)
    channel.eventLoop.execute { self.handler?.cutOff(kinds) }
  }

  package var executor: LoopExecutor { LoopExecutor(channel.eventLoop) }

  /// The NIO handler that writes the protocol lines of this connection; nil if the connection has ended. Only the event
  /// loop may read this property.
  var handler: BackpressureHandler? {
    if let handler = found.value { return handler }
    let handler = try? channel.pipeline.syncOperations.handler(type: BackpressureHandler.self)
    handler?.join(state)
    found.value = handler
    return handler
  }

  /// Connects this object to its NIO handler, on the event loop. Protocol lines that are sent after this call are
  /// written even if the connection closes immediately afterwards.
  package func beginOnEventLoop() { _ = handler }

  /// Connects this object to its NIO handler, on any thread. Protocol lines that are sent after this call are written
  /// even if the connection closes immediately afterwards.
  package func begin() async { try? await channel.eventLoop.submit { self.beginOnEventLoop() }.get() }

  // MARK: Closing

  /// Sends an error, closes the connection, and waits for the end of the connection. If the client does not read the
  /// error, the connection closes after 0.5 s.
  package func close(_ error: LineError) async {
    channel.eventLoop.execute { self.handler?.leave(error) }
    try? await channel.closeFuture.get()
  }

  package func refuse(_ error: LineError, tag: String?) {
    send(.error(error, tag: tag, [:]))
    close()
  }

  package func close() { channel.close(promise: nil) }

  /// Waits until the socket has accepted all protocol lines of the send queue, if the client reads too slowly.
  /// Otherwise the function returns immediately.
  package func drain() async {
    if state.isFull { await flush() }
  }

  /// Appends a checksum to each protocol line that is sent after this call.
  package func beginChecksums() async {
    await flush()
    try? await channel.triggerUserOutboundEvent(ChecksumsBegin()).get()
  }

  /// Waits until the socket has accepted all protocol lines of the send queue, or the connection has ended.
  package func flush() async {
    let drained = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute {
      if let handler = self.handler { handler.drain(drained) } else { drained.succeed() }
    }
    await withTaskCancellationHandler {
      try? await drained.futureResult.get()
    } onCancel: {
      // The client does not read, so it could not receive an error.
      channel.close(promise: nil)
    }
  }

  /// Replaces the time limit for input from the client. The new time begins with this call.
  package func limit(_ limit: SilenceLimit) { channel.triggerUserOutboundEvent(limit, promise: nil) }

  package static func == (left: Connection, right: Connection) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
