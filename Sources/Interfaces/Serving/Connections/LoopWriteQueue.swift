package import NIOCore
package import Ports
import Synchronization

/// The connections of one event loop that have lines to write. One wake-up of the event loop serves all these
/// connections.
///
/// With 1,000 subscribers at 10 Hz, the daemon needs 7 % less processor time than with one task for each connection, and
/// the 99th percentile of the latency is 14 ms instead of 17 ms (`Scripts/bench fanout`).
package final class LoopWriteQueue: Sendable {
  private struct State {
    var connections: [Connection] = []
    /// Whether a call of `deliver` is scheduled on the event loop.
    var isAwaited = false
  }

  let eventLoop: any EventLoop
  /// The executor that runs the connections' tasks on the event loop.
  package let executor: LoopExecutor
  private let state = Mutex(State())

  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    executor = LoopExecutor(eventLoop)
  }

  func enqueue(_ connection: Connection) {
    let isAwaited = state.withLock { state in
      state.connections.append(connection)
      defer { state.isAwaited = true }
      return state.isAwaited
    }
    if !isAwaited { eventLoop.execute { self.deliver() } }
  }

  private func deliver() {
    var connections: [Connection] = []
    state.withLock { swap(&$0.connections, &connections) }
    for connection in connections { connection.handler?.proceed() }
    connections.removeAll(keepingCapacity: true)
    let isDone = state.withLock { state in
      guard state.connections.isEmpty else { return false }
      // The storage of the array is kept, so that the next call does not allocate memory.
      swap(&state.connections, &connections)
      state.isAwaited = false
      return true
    }
    // Connections were added during the writes. A new task writes their lines, so that other tasks can run first.
    if !isDone { eventLoop.execute { self.deliver() } }
  }
}

/// The write queue of each event loop.
package final class LoopWriteQueues: Sendable {
  private let queues = Mutex<[ObjectIdentifier: LoopWriteQueue]>([:])

  package init() {}

  package subscript(eventLoop: any EventLoop) -> LoopWriteQueue {
    queues.withLock { queues in
      let key = ObjectIdentifier(eventLoop)
      if let queue = queues[key] { return queue }
      let queue = LoopWriteQueue(eventLoop)
      queues[key] = queue
      return queue
    }
  }
}
