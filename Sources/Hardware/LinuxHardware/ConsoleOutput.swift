import NIOCore
import Synchronization

/// The output queue of a terminal. The queue sends small portions, so that a user can still discard the rest of the
/// output.
final class ConsoleOutput: Sendable {
  /// The maximum count of queued bytes. At 9600 baud, these bytes take 68 s.
  static let capacity = 65_536
  /// The maximum count of bytes in one write. The count is small, because the program cannot discard bytes that are
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

  /// Adds bytes to the queue, and returns immediately. The result is false if the queue had no room, and the function
  /// dropped the bytes.
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

  /// Sends the next portion of the queue, unless another portion is still being sent.
  ///
  /// - Parameter previous: whether the previous portion was sent successfully; nil if the caller has added new bytes.
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
      // A failed write closes the channel, so the reader of the port stops.
      if case .success = result { sendNext(after: true) } else { sendNext(after: false) }
    }
  }
}
