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

  init(number: UInt64, role: Role, transport: Transport, peer: Peer, channel: any Channel) {
    self.number = number
    self.role = role
    self.transport = transport
    self.peer = peer
    self.channel = channel
  }

  /// Hands a line to the kernel as soon as it takes it. Never waits: who does not read for 10 s is closed.
  package func send(_ line: ServerLine) {
    channel.writeAndFlush(Connection.buffer(line, channel.allocator), promise: nil)
  }

  /// Says why, and closes; a client that does not read is not waited for.
  func close(_ error: LineError) async {
    let deadline = channel.eventLoop.scheduleTask(in: .milliseconds(500)) { self.close() }
    channel.writeAndFlush(Connection.buffer(.error(error, tag: nil, [:]), channel.allocator)).whenComplete { _ in
      deadline.cancel()
      self.close()
    }
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
    guard !channel.isWritable else { return }
    await withTaskCancellationHandler {
      try? await channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).get()
    } onCancel: {
      // The gateway stops, and who does not read cannot be told.
      channel.close(promise: nil)
    }
  }

  /// How long the client may be silent; nil turns that off.
  func limitSilence(_ limit: TimeAmount?, _ error: LineError) {
    channel.triggerUserOutboundEvent(SilenceLimit(limit: limit, error: error), promise: nil)
  }

  static func buffer(_ line: ServerLine, _ allocator: ByteBufferAllocator) -> ByteBuffer {
    let text = line.line
    var buffer = allocator.buffer(capacity: text.utf8.count + 1)
    buffer.writeString(text)
    buffer.writeInteger(UInt8(ascii: "\n"))
    return buffer
  }

  package static func == (left: Connection, right: Connection) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
