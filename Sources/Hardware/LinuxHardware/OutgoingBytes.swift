import NIOCore
import Synchronization

/// The output queue of a channel.
final class OutgoingBytes: Sendable {
  /// The maximum number of queued bytes, about the buffer size of a receiver. A command has a few hundred bytes, so a
  /// full queue means a stuck line.
  static let capacity = 16_384

  private let channel: any Channel
  private let pending = Atomic<Int>(0)

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Queues bytes without waiting. Returns false and drops the bytes if the queue is full.
  func send(_ bytes: [UInt8]) -> Bool {
    let before = pending.add(bytes.count, ordering: .relaxed).oldValue
    guard before + bytes.count <= Self.capacity else {
      pending.subtract(bytes.count, ordering: .relaxed)
      return false
    }
    // A failed write closes the channel, which ends the reader.
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      pending.subtract(bytes.count, ordering: .relaxed)
    }
    return true
  }

  /// Runs a function on the channel's event loop. The function never runs during a read of the loop.
  func onLoop(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await channel.eventLoop.submit(work).get()
  }
}
