package import Clocks
import LineFraming
package import LineProtocol
package import NIOCore
import NIOPosix

/// One client's connection, once it is known who it is: over a channel, or over what carries its lines instead.
package final class Connection: Sendable, Hashable {
  package enum Role: Hashable, Sendable {
    case app
    case owner
  }

  package let number: UInt64
  package let role: Role
  package let transport: Transport
  package let peer: Peer
  /// Nil where there is an outlet.
  private let channel: (any Channel)?
  private let flow: Flow
  private let found: NIOLoopBoundBox<FlowHandler?>
  /// What carries its lines; nil where that is a channel.
  package let outlet: (any Outlet)?

  package init(number: UInt64, role: Role, transport: Transport, peer: Peer, channel: any Channel, post: Post) {
    self.number = number
    self.role = role
    self.transport = transport
    self.peer = peer
    self.channel = channel
    outlet = nil
    flow = Flow(post)
    found = .makeEmptyBox(valueType: FlowHandler.self, eventLoop: channel.eventLoop)
  }

  /// An app's connection over something that is no channel. No fix goes there as a line.
  package init(transport: Transport, peer: Peer, outlet: any Outlet) {
    number = LineServer.numbers.next()
    role = .app
    self.transport = transport
    self.peer = peer
    self.outlet = outlet
    channel = nil
    // Nothing is ever posted there.
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    flow = Flow(Post(eventLoop))
    found = .makeEmptyBox(valueType: FlowHandler.self, eventLoop: eventLoop)
  }

  // MARK: What is sent: at once where the client keeps up, else by the rules of flow. Never waits.

  /// Sends a line that carries no position.
  package func send(_ line: ServerLine) {
    if let outlet { return outlet.send(line) }
    var outgoing = OutgoingLine(line)
    // A checksum may follow, and a line end does.
    if let longest = transport.longestLine, outgoing.bytes.readableBytes - 1 > longest - Checksum.length {
      outgoing = OutgoingLine(line.fitted(to: longest - Checksum.length))
    }
    flow.enqueue(outgoing, for: self)
  }

  /// Sends a one-time fix.
  /// - Parameter until: how long the light tells of it.
  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    precondition(outlet == nil, "a fix goes to a bridge by way of the outbox")
    let rule = OutgoingLine.Rule.once(message: message.id, until: until)
    flow.enqueue(OutgoingLine(ServerLine.message(message).bytes, rule), for: self)
  }

  /// Sends a fix of updates.
  package func send(update line: UpdateLine) {
    flow.enqueue(OutgoingLine(line.bytes, .updates(sid: line.sid)), for: self)
  }

  /// Sends what a facade says in its own language, which carries no position.
  /// - Parameter isBeat: whether it gives way to the next of its kind while it waits.
  package func send(foreign text: String, isBeat: Bool = false) {
    flow.enqueue(OutgoingLine(ByteBuffer(string: text), isBeat ? .beat : .reply), for: self)
  }

  /// Whether what is sent now would have to wait: the client does not read as fast as it is told, or has yet to ask.
  package var isFull: Bool { flow.isFull || flow.isHeld }

  /// Whether a fix waits until the client asks for it.
  package var isHeld: Bool {
    get { flow.isHeld }
    set { flow.isHeld = newValue }
  }

  /// Recalls fixes: from now on none of their bytes leave any more.
  package func recall(_ kinds: FixKinds) {
    if let outlet { return outlet.recall() }
    flow.erase(kinds)
    channel?.eventLoop.execute { self.handler?.cutOff(kinds) }
  }

  var post: Post { flow.post }

  /// What writes for it, on the event loop; nil once it has ended.
  var handler: FlowHandler? {
    if let handler = found.value { return handler }
    let handler = try? channel?.pipeline.syncOperations.handler(type: FlowHandler.self)
    handler?.join(flow)
    found.value = handler
    return handler
  }

  /// Returns when what writes for it knows it: what is sent from then on leaves before the connection ends, however soon
  /// that is.
  package func begin() async { try? await channel?.eventLoop.submit { _ = self.handler }.get() }

  // MARK: Its end

  /// Says why, and closes; a client that does not read is not waited for.
  package func close(_ error: LineError) async {
    guard let channel else { return refuse(error) }
    channel.eventLoop.execute { self.handler?.leave(error) }
    try? await channel.closeFuture.get()
  }

  /// Says why as far as there is room for it, and closes.
  package func refuse(_ error: LineError, tag: String? = nil) {
    send(.error(error, tag: tag, [:]))
    close()
  }

  package func close() {
    if let outlet { return outlet.close() }
    channel?.close(promise: nil)
  }

  /// Returns when what was sent has left, or at once where the client keeps up.
  package func drain() async {
    if flow.isFull { await sendAll() }
  }

  /// From the next line on, each ends in its checksum.
  func beginChecksums() async {
    await sendAll()
    try? await channel?.triggerUserOutboundEvent(ChecksumsBegin()).get()
  }

  /// Returns when what was sent has left.
  func sendAll() async {
    guard let channel else { return }
    let drained = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute {
      if let handler = self.handler { handler.drain(drained) } else { drained.succeed() }
    }
    await withTaskCancellationHandler {
      try? await drained.futureResult.get()
    } onCancel: {
      // The gateway stops, and who does not read cannot be told.
      channel.close(promise: nil)
    }
  }

  /// How long the client may be silent, or has to say who it is, from now on.
  func limit(_ limit: SilenceLimit) { channel?.triggerUserOutboundEvent(limit, promise: nil) }

  package static func == (left: Connection, right: Connection) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
