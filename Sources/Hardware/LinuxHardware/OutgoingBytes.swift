import NIOCore
import Synchronization

/// What goes out of a channel: in order, and no more of it waiting than the receiver's own buffers would hold.
final class OutgoingBytes: Sendable {
  /// Bytes that may wait. A command has some hundred; a line that takes none for so many is stuck.
  static let capacity = 16_384

  private let channel: any Channel
  private let waiting = Atomic<Int>(0)

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Returns at once; false where too much waits already, and nothing of it will be sent.
  func send(_ bytes: [UInt8]) -> Bool {
    let before = waiting.add(bytes.count, ordering: .relaxed).oldValue
    guard before + bytes.count <= Self.capacity else {
      waiting.subtract(bytes.count, ordering: .relaxed)
      return false
    }
    // A write that fails closes the channel, which ends whoever reads it.
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      waiting.subtract(bytes.count, ordering: .relaxed)
    }
    return true
  }

  /// Does something between two readings of the channel.
  func onLoop(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await channel.eventLoop.submit(work).get()
  }
}
