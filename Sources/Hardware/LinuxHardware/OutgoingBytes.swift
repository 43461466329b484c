import NIOCore
import Synchronization

/// The output queue of a channel.
final class OutgoingBytes: Sendable {
  /// The maximum number of queued bytes. A command has a few hundred bytes, so a full queue means that the port no
  /// longer sends.
  static let capacity = 16_384

  private let channel: any Channel
  private let pending = Atomic<Int>(0)

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Adds bytes to the queue without waiting. Returns whether the queue had room; if not, the bytes are dropped.
  func send(_ bytes: [UInt8]) -> Bool {
    let before = pending.add(bytes.count, ordering: .relaxed).oldValue
    guard before + bytes.count <= Self.capacity else {
      pending.subtract(bytes.count, ordering: .relaxed)
      return false
    }
    // A failed write closes the channel, so the reader of the port stops.
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      pending.subtract(bytes.count, ordering: .relaxed)
    }
    return true
  }

  /// Runs a function on the channel's event loop. The function never runs while the event loop reads from the port.
  func onLoop(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await channel.eventLoop.submit(work).get()
  }
}
