import Ports
import Synchronization

/// The waiting lines of one connection. Any thread may add lines, but only the event loop of the connection writes
/// lines.
final class SendState: Sendable {
  private struct State {
    var queue = SendQueue()
    /// Whether the event loop is already scheduled to write the lines.
    var isAwaited = false
    /// Whether the queue had no room for an event, so that the connection must close.
    var isOverfull = false
    /// Whether the connection sends no more lines.
    var isOver = false
  }

  private let state = Mutex(State())
  private let full = Atomic(false)
  private let held = Atomic(false)
  private let polled = Atomic(false)

  /// Whether lines wait because the client reads too slowly.
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

  /// Adds a line. Returns whether the caller must schedule a write on the event loop.
  func enqueue(_ line: OutgoingLine) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      if !state.queue.push(line) { state.isOverfull = true }
      defer { state.isAwaited = true }
      return !state.isAwaited
    }
  }

  /// Begins a write of the waiting lines. Returns false if the queue had no room for an event, so that the gateway must
  /// close the connection.
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

  /// Removes all lines. Lines that are added later are dropped.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.queue.removeAll()
    }
  }
}
