package import Clocks
import LineFraming
package import LineProtocol
import NIOCore

/// One client's connection, once it is known who it is.
package final class Connection: Sendable, Hashable {
  package enum Role: Hashable, Sendable {
    case app
    case owner
  }

  package let number: UInt64
  package let role: Role
  package let transport: Transport
  package let peer: Peer
  private let channel: any Channel
  private let flow: Flow
  private let found: NIOLoopBoundBox<FlowHandler?>

  init(number: UInt64, role: Role, transport: Transport, peer: Peer, channel: any Channel, post: Post) {
    self.number = number
    self.role = role
    self.transport = transport
    self.peer = peer
    self.channel = channel
    flow = Flow(post)
    found = .makeEmptyBox(valueType: FlowHandler.self, eventLoop: channel.eventLoop)
  }

  // MARK: What is sent: at once where the client keeps up, else by the rules of flow. Never waits.

  /// Sends a line that carries no position.
  package func send(_ line: ServerLine) { flow.post.send(OutgoingLine(line), to: self) }

  /// Sends a one-time fix.
  /// - Parameter until: how long the light tells of it.
  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    let rule = OutgoingLine.Rule.once(message: message.id, until: until)
    flow.post.send(OutgoingLine(ServerLine.message(message).bytes, rule, Flow.stamp), to: self)
  }

  /// Whether the client does not read as fast as it is told, so that what is sent now would have to wait.
  package var isFull: Bool { flow.isFull }

  /// Recalls fixes: from now on none of their bytes leave any more.
  package func recall(_ kinds: FixKinds) {
    flow.recall(kinds)
    channel.eventLoop.execute { self.handler?.erase(kinds) }
  }

  var post: Post { flow.post }

  /// What writes for it, on the event loop; nil once it has ended.
  var handler: FlowHandler? {
    if let handler = found.value { return handler }
    let handler = try? channel.pipeline.syncOperations.handler(type: FlowHandler.self)
    handler?.join(flow)
    found.value = handler
    return handler
  }

  // MARK: Its end

  /// Says why, and closes; a client that does not read is not waited for.
  func close(_ error: LineError) async {
    channel.eventLoop.execute { self.handler?.leave(error) }
    try? await channel.closeFuture.get()
  }

  /// Says why as far as there is room for it, and closes.
  package func refuse(_ error: LineError, tag: String? = nil) {
    send(.error(error, tag: tag, [:]))
    close()
  }

  package func close() { channel.close(promise: nil) }

  /// Returns when what was sent has left, or at once where the client keeps up.
  func drain() async {
    if flow.isFull { await sendAll() }
  }

  /// From the next line on, each ends in its checksum.
  func beginChecksums() async {
    await sendAll()
    try? await channel.triggerUserOutboundEvent(ChecksumsBegin()).get()
  }

  /// Returns when what was sent has left.
  private func sendAll() async {
    let drained = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute {
      self.post.deliver()
      if let handler = self.handler { handler.drain(drained) } else { drained.succeed() }
    }
    await withTaskCancellationHandler {
      try? await drained.futureResult.get()
    } onCancel: {
      // The gateway stops, and who does not read cannot be told.
      channel.close(promise: nil)
    }
  }

  /// How long the client may be silent; nil turns that off.
  func limitSilence(_ limit: TimeAmount?, _ error: LineError) {
    channel.triggerUserOutboundEvent(SilenceLimit(limit: limit, error: error), promise: nil)
  }

  /// How long the client has to say who it is, whatever else it says.
  func limitIntroduction(_ limit: SilenceLimit) { channel.triggerUserOutboundEvent(limit, promise: nil) }

  package static func == (left: Connection, right: Connection) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
