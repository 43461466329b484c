import NIOCore
import Synchronization

/// The output queue of a SwiftNIO channel, with a limited size.
final class OutgoingBytes: Sendable {
  /// The maximum count of queued bytes. A command has only a few hundred bytes, so a full queue means that the port no
  /// longer sends.
  static let capacity = 16_384

  private let channel: any Channel
  private let pending = Atomic<Int>(0)

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Adds bytes to the queue, and returns immediately. The result is false if the queue had no room, and the function
  /// dropped the bytes.
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

  /// Returns when the event loop of the channel has run a task.
  func waitForLoop() async throws { try await channel.eventLoop.submit {}.get() }
}
