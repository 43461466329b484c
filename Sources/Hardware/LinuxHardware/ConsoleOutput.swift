import NIOCore
import Synchronization

/// The output queue of a terminal. The queue sends small portions, so that unsent bytes can be discarded.
final class ConsoleOutput: Sendable {
  /// The maximum number of queued bytes. At 9600 baud, these bytes take 68 s. Each output of a caller is smaller.
  static let capacity = 65_536
  /// The maximum number of bytes in one write. The number is small, because `discard` does not remove bytes that are
  /// already in the kernel's buffer.
  private static let portion = 256

  private struct State {
    var pending: [UInt8] = []
    var isSending = false
  }

  private let channel: any Channel
  private let state = Mutex(State())

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Queues bytes without waiting. Returns false and drops the bytes if the queue is full.
  func send(_ bytes: [UInt8]) -> Bool {
    let hasRoom = state.withLock { state in
      guard state.pending.count + bytes.count <= Self.capacity else { return false }
      state.pending += bytes
      return true
    }
    if hasRoom { sendNext(after: nil) }
    return hasRoom
  }

  func discard() { state.withLock { $0.pending = [] } }

  /// Sends the next portion.
  ///
  /// - Parameter previous: The result of the previous portion: true if it was sent. Nil if no portion was under way.
  private func sendNext(after previous: Bool?) {
    let portion = state.withLock { state -> [UInt8] in
      if previous != nil { state.isSending = false }
      guard !state.isSending, previous != false else { return [] }
      let portion = Array(state.pending.prefix(Self.portion))
      state.pending.removeFirst(portion.count)
      state.isSending = !portion.isEmpty
      return portion
    }
    guard !portion.isEmpty else { return }
    channel.writeAndFlush(ByteBuffer(bytes: portion)).whenComplete { [self] result in
      // A failed write closes the channel, which ends the reader.
      if case .success = result { sendNext(after: true) } else { sendNext(after: false) }
    }
  }
}
