import Ports
import Synchronization

/// The lines of one connection that wait for its event loop, and the client's state as the event loop reports it.
final class SendState: Sendable {
  private struct State {
    var queue = SendQueue()
    /// Whether a run of the event loop for the queue is scheduled.
    var isAwaited = false
    /// Whether an event did not fit into the queue.
    var isOverfull = false
    /// Whether sending has ended.
    var isOver = false
  }

  let writeQueue: LoopWriteQueue
  private let state = Mutex(State())
  private let full = Atomic(false)
  private let held = Atomic(false)

  init(_ writeQueue: LoopWriteQueue) { self.writeQueue = writeQueue }

  /// Whether the client does not read as fast as lines are sent to it.
  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  /// Whether a fix waits until the client asks for it.
  var isHeld: Bool {
    get { held.load(ordering: .relaxed) }
    set { held.store(newValue, ordering: .relaxed) }
  }

  /// Adds a line to the queue, and schedules a write on the event loop.
  func enqueue(_ line: OutgoingLine, for connection: Connection) {
    let isAwaited = state.withLock { state in
      guard !state.isOver else { return true }
      if !state.queue.push(line) { state.isOverfull = true }
      defer { state.isAwaited = true }
      return state.isAwaited
    }
    if !isAwaited { writeQueue.enqueue(connection) }
  }

  /// Begins to write the waiting lines. Lines that arrive later require another call.
  ///
  /// - Returns: false if an event did not fit into the queue, so that the connection has to be closed.
  func begin() -> Bool {
    state.withLock { state in
      state.isAwaited = false
      return !state.isOverfull
    }
  }

  /// Removes the lines for the next write; nil if no lines wait.
  func next(atMost longest: Int, isVoid: (OutgoingLine) -> Bool) -> SendQueue.Chunk? {
    state.withLock { $0.queue.next(atMost: longest, isVoid: isVoid) }
  }

  /// Removes fixes from the queue.
  func erase(_ kinds: FixKinds) { state.withLock { $0.queue.erase(kinds) } }

  /// Removes all lines. Lines that are sent afterwards are dropped.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.queue.removeAll()
    }
  }
}
