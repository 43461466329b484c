package import Clocks
import LineFraming
package import LineProtocol
package import NIOCore
package import Ports

/// The connection of a client of a listener, or of a serial port.
package final class Connection: ClientConnection, Hashable {
  /// The number of fixes of updates that were dropped from queues, of all connections.
  package static let droppedUpdates = Counter()
  /// The number of connections that were closed because their client did not read.
  package static let slowConsumers = Counter()

  package let number: UInt64
  package let role: ClientRole
  package let transport: Transport
  package let peer: Peer
  package var broker: (any BrokerSink)? { nil }
  private let channel: any Channel
  private let state: SendState
  private let found: NIOLoopBoundBox<BackpressureHandler?>

  package init(
    number: UInt64, role: ClientRole, transport: Transport, peer: Peer, channel: any Channel, writeQueue: LoopWriteQueue
  ) {
    self.number = number
    self.role = role
    self.transport = transport
    self.peer = peer
    self.channel = channel
    state = SendState(writeQueue)
    found = .makeEmptyBox(valueType: BackpressureHandler.self, eventLoop: channel.eventLoop)
  }

  // MARK: Sending

  package func send(_ line: ServerLine) {
    var outgoing = OutgoingLine(line)
    // A checksum may follow, and a line end does.
    if let longest = transport.longestLine, outgoing.bytes.readableBytes - 1 > longest - Checksum.length {
      outgoing = OutgoingLine(line.truncated(to: longest - Checksum.length))
    }
    state.enqueue(outgoing, for: self)
  }

  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    let rule = OutgoingLine.Rule.once(message: message.id, until: until)
    state.enqueue(OutgoingLine(ServerLine.message(message).bytes, rule), for: self)
  }

  package func send(update line: UpdateLine) {
    state.enqueue(OutgoingLine(line.bytes, .updates(sid: line.sid)), for: self)
  }

  /// Sends a text of another protocol, which carries no position.
  /// - Parameter isBeat: whether the next text of this kind replaces it while it waits.
  package func send(foreign text: String, isBeat: Bool = false) {
    state.enqueue(OutgoingLine(ByteBuffer(string: text), isBeat ? .beat : .reply), for: self)
  }

  /// Whether a line sent now would have to wait: the client reads too slowly, or has yet to ask for a fix.
  package var isFull: Bool { state.isFull || state.isHeld }

  /// Whether a fix waits until the client asks for it.
  package var isHeld: Bool {
    get { state.isHeld }
    set { state.isHeld = newValue }
  }

  package func recall(_ kinds: FixKinds) {
    state.erase(kinds)
    channel.eventLoop.execute { self.handler?.cutOff(kinds) }
  }

  package var writeQueue: LoopWriteQueue { state.writeQueue }

  /// The handler that writes the lines, on the event loop; nil if the connection has ended.
  var handler: BackpressureHandler? {
    if let handler = found.value { return handler }
    let handler = try? channel.pipeline.syncOperations.handler(type: BackpressureHandler.self)
    handler?.join(state)
    found.value = handler
    return handler
  }

  /// Connects the connection to its handler, on the event loop: lines that are sent from then on leave before the
  /// connection ends, however soon that is.
  package func beginOnEventLoop() { _ = handler }

  /// Does the same from any thread, and returns when it is done.
  package func begin() async { try? await channel.eventLoop.submit { self.beginOnEventLoop() }.get() }

  // MARK: Closing

  /// Sends an error and closes, within half a second even if the client does not read.
  package func close(_ error: LineError) async {
    channel.eventLoop.execute { self.handler?.leave(error) }
    try? await channel.closeFuture.get()
  }

  package func refuse(_ error: LineError, tag: String?) {
    send(.error(error, tag: tag, [:]))
    close()
  }

  package func close() { channel.close(promise: nil) }

  /// Returns when all lines have left, or immediately if the client reads fast enough.
  package func drain() async {
    if state.isFull { await flush() }
  }

  /// Lets each line end in its checksum from the next line on.
  package func beginChecksums() async {
    await flush()
    try? await channel.triggerUserOutboundEvent(ChecksumsBegin()).get()
  }

  /// Returns when all lines have left.
  package func flush() async {
    let drained = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute {
      if let handler = self.handler { handler.drain(drained) } else { drained.succeed() }
    }
    await withTaskCancellationHandler {
      try? await drained.futureResult.get()
    } onCancel: {
      // A client that does not read cannot receive the reason for the stop.
      channel.close(promise: nil)
    }
  }

  /// Sets how long the client may be silent, or has to authenticate, from now on.
  package func limit(_ limit: SilenceLimit) { channel.triggerUserOutboundEvent(limit, promise: nil) }

  package static func == (left: Connection, right: Connection) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
