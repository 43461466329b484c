import NIOCore
import Synchronization

/// What goes out to a terminal: in order, a little at a time, so that the rest can still be taken back.
final class ConsoleOutput: Sendable {
  /// Bytes that may wait: longer than anything that is said at once. At 9600 baud it takes 68 s.
  static let capacity = 65_536
  /// Bytes that are on their way, beside the kernel's own buffer.
  private static let portion = 256

  private struct State {
    var waiting: [UInt8] = []
    var isSending = false
  }

  private let channel: any Channel
  private let state = Mutex(State())

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// Returns at once; false where too much waits already, and nothing of it will be sent.
  func send(_ bytes: [UInt8]) -> Bool {
    let hasRoom = state.withLock { state in
      guard state.waiting.count + bytes.count <= Self.capacity else { return false }
      state.waiting += bytes
      return true
    }
    if hasRoom { sendNext(after: nil) }
    return hasRoom
  }

  func discard() { state.withLock { $0.waiting = [] } }

  /// - Parameter previous: whether the portion before could be sent; nil where there is none.
  private func sendNext(after previous: Bool?) {
    let portion = state.withLock { state -> [UInt8] in
      if previous != nil { state.isSending = false }
      guard !state.isSending, previous != false else { return [] }
      let portion = Array(state.waiting.prefix(Self.portion))
      state.waiting.removeFirst(portion.count)
      state.isSending = !portion.isEmpty
      return portion
    }
    guard !portion.isEmpty else { return }
    channel.writeAndFlush(ByteBuffer(bytes: portion)).whenComplete { [self] result in
      // A write that fails closes the channel, which ends whoever reads it.
      if case .success = result { sendNext(after: true) } else { sendNext(after: false) }
    }
  }
}
