import Synchronization

/// A part of the daemon that runs until the daemon stops.
package protocol Service: Sendable {
  /// Runs until the service must stop. The daemon ends if the function returns earlier, or throws an error.
  func run(until stop: Stop) async throws
}

/// The request to a service that it stops.
package final class Stop: Sendable {
  private struct State {
    var isRequested = false
    /// The functions that run at the request, by number.
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  package func request() {
    let handlers = state.withLock { state in
      state.isRequested = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Performs an operation. If the request comes before the end of the operation, the handler runs once.
  package func handle<Result>(
    _ operation: () async throws -> Result, onRequest handler: @escaping @Sendable () -> Void
  ) async rethrows -> Result {
    let number = state.withLock { state -> Int? in
      guard !state.isRequested else { return nil }
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
    if number == nil { handler() }
    defer { if let number { state.withLock { _ = $0.handlers.removeValue(forKey: number) } } }
    return try await operation()
  }

  /// Waits for the request, or until the task is cancelled.
  package func wait() async {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    await handle({ for await _ in requests {} }, onRequest: { request.finish() })
  }

  /// Performs an operation, and cancels it at the request.
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
      }, onRequest: cancel)
  }
}
