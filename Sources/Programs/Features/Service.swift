import Synchronization

/// A service of the daemon, which runs until the daemon stops.
package protocol Service: Sendable {
  /// Runs until the service must stop. The daemon ends if the function returns earlier, or throws an error.
  func run(until stop: OneTimeEvent) async throws
}

/// An event that occurs at most once, for example the request that a service stops.
package final class OneTimeEvent: Sendable {
  private struct State {
    var hasOccurred = false
    /// The functions that run at the event, by number.
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var hasOccurred: Bool { state.withLock { $0.hasOccurred } }

  /// Makes the event occur. Further calls have no effect.
  package func occur() {
    let handlers = state.withLock { state in
      state.hasOccurred = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Performs an operation. If the event occurs before the end of the operation, or has occurred before, the handler
  /// runs once.
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

  /// Waits for the event, or until the task is cancelled.
  package func wait() async {
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    await handle({ for await _ in events {} }, then: { event.finish() })
  }

  /// Performs an operation, and cancels it at the event.
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
