import Synchronization

/// A task of the daemon that runs until the daemon stops.
package protocol Service: Sendable {
  /// Runs until the event `stop` occurs. If the function returns earlier or throws an error, the daemon ends.
  func run(until stop: OneTimeEvent) async throws
}

/// An event that occurs at most once, for example the request to stop. Tasks can wait for it.
package final class OneTimeEvent: Sendable {
  private struct State {
    var hasOccurred = false
    /// The functions to call when the event occurs. The key is an identifier.
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var hasOccurred: Bool { state.withLock { $0.hasOccurred } }

  /// Lets the event occur: calls the handlers and resumes the waiting tasks. Further calls have no effect.
  package func occur() {
    let handlers = state.withLock { state in
      state.hasOccurred = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Runs an operation. The handler is called once if the event occurs before the operation ends, or has already
  /// occurred.
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

  /// Runs an operation, and cancels it when the event occurs.
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
