import NIOCore
import Synchronization

/// The output queue of a channel. The queue sends bytes in order. The queue has about the same capacity as the buffer
/// of a receiver.
final class OutgoingBytes: Sendable {
  /// The maximum number of queued bytes. A command has a few hundred bytes, so a full queue means that the line is
  /// stuck.
  static let capacity = 16_384

  private let channel: any Channel
  private let pending = Atomic<Int>(0)

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Queues bytes without waiting. Returns false if the queue is full; the bytes are then dropped.
  func send(_ bytes: [UInt8]) -> Bool {
    let before = pending.add(bytes.count, ordering: .relaxed).oldValue
    guard before + bytes.count <= Self.capacity else {
      pending.subtract(bytes.count, ordering: .relaxed)
      return false
    }
    // If a write fails, the channel closes, and the reader then ends.
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      pending.subtract(bytes.count, ordering: .relaxed)
    }
    return true
  }

  /// Runs a function on the channel's event loop, so that the function does not run while the loop reads.
  func onLoop(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await channel.eventLoop.submit(work).get()
  }
}
