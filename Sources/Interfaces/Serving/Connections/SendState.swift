import Ports
import Synchronization

/// The send queue of one connection, with its state. Any thread may add protocol lines, but only the event loop of the
/// connection writes lines.
final class SendState: Sendable {
  private struct State {
    var queue = SendQueue()
    /// Whether a write of the waiting protocol lines is already scheduled on the event loop.
    var isAwaited = false
    /// Whether the queue had no room for an event, so that the connection must close.
    var isOverfull = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let full = Atomic(false)
  private let held = Atomic(false)
  private let polled = Atomic(false)

  /// Whether protocol lines wait because the client reads too slowly.
  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  var isHeld: Bool {
    get { held.load(ordering: .relaxed) }
    set { held.store(newValue, ordering: .relaxed) }
  }

  var isPolled: Bool {
    get { polled.load(ordering: .relaxed) }
    set { polled.store(newValue, ordering: .relaxed) }
  }

  /// Adds a protocol line to the send queue. Returns whether the caller must schedule a write on the event loop.
  func enqueue(_ line: OutgoingLine) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      if !state.queue.push(line) { state.isOverfull = true }
      defer { state.isAwaited = true }
      return !state.isAwaited
    }
  }

  /// Records that the event loop begins to write protocol lines. Returns false if the queue had no room for an event.
  /// The gateway must then close the connection.
  func begin() -> Bool {
    state.withLock { state in
      state.isAwaited = false
      return !state.isOverfull
    }
  }

  func next(atMost longest: Int, isVoid: (OutgoingLine) -> Bool) -> SendQueue.Chunk? {
    state.withLock { $0.queue.next(atMost: longest, isVoid: isVoid) }
  }

  func erase(_ kinds: FixKinds) { state.withLock { $0.queue.erase(kinds) } }

  /// Removes all protocol lines. Lines that are added later are dropped.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.queue.removeAll()
    }
  }
}
