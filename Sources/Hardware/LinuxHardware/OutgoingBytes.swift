import NIOCore
import Synchronization

/// The output queue of a channel. The queue sends bytes in order. Its capacity matches a receiver's own buffers.
final class OutgoingBytes: Sendable {
  /// The maximum number of queued bytes. A command has some hundred bytes, so a full queue means that the line is
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
    // A failed write closes the channel, which ends the reader.
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      pending.subtract(bytes.count, ordering: .relaxed)
    }
    return true
  }

  /// Runs work on the channel's event loop, between two reads.
  func onLoop(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await channel.eventLoop.submit(work).get()
  }
}
