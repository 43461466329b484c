import Ports
import Synchronization

/// The lines of one connection that wait for its event loop, and what the event loop reports of the client.
final class SendState: Sendable {
  private struct State {
    var queue = SendQueue()
    /// Whether the event loop will look at the queue.
    var isAwaited = false
    /// An event found no room.
    var isOverfull = false
    /// Nothing is sent any more.
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

  /// Whether the client has yet to ask for what it waits for.
  var isHeld: Bool {
    get { held.load(ordering: .relaxed) }
    set { held.store(newValue, ordering: .relaxed) }
  }

  /// Adds a line to the queue, and has the event loop write it.
  func enqueue(_ line: OutgoingLine, for connection: Connection) {
    let isAwaited = state.withLock { state in
      guard !state.isOver else { return true }
      if !state.queue.push(line) { state.isOverfull = true }
      defer { state.isAwaited = true }
      return state.isAwaited
    }
    if !isAwaited { writeQueue.enqueue(connection) }
  }

  /// Begins to write what waits: what comes from now on needs another look.
  /// - Returns: false if an event found no room, so that the connection has to be closed.
  func begin() -> Bool {
    state.withLock { state in
      state.isAwaited = false
      return !state.isOverfull
    }
  }

  /// Removes the lines that are to be written together; nil if none waits.
  func next(atMost longest: Int, isVoid: (OutgoingLine) -> Bool) -> SendQueue.Chunk? {
    state.withLock { $0.queue.next(atMost: longest, isVoid: isVoid) }
  }

  /// Removes fixes from the queue.
  func erase(_ kinds: FixKinds) { state.withLock { $0.queue.erase(kinds) } }

  /// Removes all lines. What is sent afterwards is dropped.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.queue.removeAll()
    }
  }
}
