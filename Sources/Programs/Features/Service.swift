import Synchronization

/// A task of the daemon that runs until the daemon stops.
package protocol Service: Sendable {
  /// Runs until the event `stop` occurs. The daemon ends if the function returns earlier or throws an error.
  func run(until stop: OneTimeEvent) async throws
}

/// An event that occurs at most once, for example the request to stop the daemon. Any number of tasks can wait for the
/// event.
package final class OneTimeEvent: Sendable {
  private struct State {
    var hasOccurred = false
    /// The functions to call when the event occurs. The key is a number that identifies a function.
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var hasOccurred: Bool { state.withLock { $0.hasOccurred } }

  /// Marks the event as occurred: calls the handlers and resumes the waiting tasks. Further calls have no effect.
  package func occur() {
    let handlers = state.withLock { state in
      state.hasOccurred = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Runs an operation. If the event occurs before the operation ends, or has already occurred, the function also calls
  /// the handler once.
  package func handle<Result>(
    _ operation: () async throws -> Result, then handler: @escaping @Sendable () -> Void
  ) async rethrows -> Result {
    let number = state.withLock { state -> Int? in
      guard !state.hasOccurred else { return nil }
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
    if number == nil { handler() }
    defer { if let number { state.withLock { _ = $0.handlers.removeValue(forKey: number) } } }
    return try await operation()
  }

  /// Waits until the event occurs, or until the task is cancelled.
  package func wait() async {
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    await handle({ for await _ in events {} }, then: { event.finish() })
  }

  /// Runs an operation in a task, and cancels the task when the event occurs.
  package func cancelling(_ operation: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await operation() }
    let cancel: @Sendable () -> Void = { task.cancel() }
    try await handle(
      {
        try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          cancel()
        }
      }, then: cancel)
  }
}
