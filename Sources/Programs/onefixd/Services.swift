import Synchronization

/// A part of the daemon that runs until the daemon stops.
protocol Service: Sendable {
  /// Runs until the service must stop. The daemon ends if the function returns earlier, or throws an error.
  func run(until stop: Stop) async throws
}

/// The request to a service that it stops.
final class Stop: Sendable {
  private struct State {
    var isRequested = false
    /// The functions that run at the request, by number.
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var isRequested: Bool { state.withLock { $0.isRequested } }

  func request() {
    let handlers = state.withLock { state in
      state.isRequested = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Performs an operation. If the request comes before the end of the operation, the handler runs once.
  func handle<Result>(
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
  func wait() async {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    await handle({ for await _ in requests {} }, onRequest: { request.finish() })
  }

  /// Performs an operation, and cancels it at the request.
  func cancelling(_ operation: @escaping @Sendable () async throws -> Void) async throws {
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

/// The services of the daemon.
struct Services {
  /// A service ended although the daemon did not stop.
  struct UnexpectedEnd: Error, CustomStringConvertible {
    var service: String
    var description: String { "\(service) has ended (this is a fault of onefixd: please report it)" }
  }

  let services: [any Service]

  /// Runs all services until the first element of `stops`. The services then stop one after the other, in the reverse
  /// order of their list. The error of a service cancels the others.
  func run(until stops: AsyncStream<Void>) async throws {
    let entries = services.map { (service: $0, stop: Stop()) }
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for (index, entry) in entries.enumerated() {
        group.addTask {
          try await entry.service.run(until: entry.stop)
          return index
        }
      }
      group.addTask {
        for await _ in stops { break }
        return nil
      }
      if let ended = try await group.next() ?? nil {
        throw UnexpectedEnd(service: "\(type(of: services[ended]))")
      }
      var ended: Set<Int> = []
      for index in entries.indices.reversed() {
        entries[index].stop.request()
        while !ended.contains(index), let next = try await group.next() ?? nil { ended.insert(next) }
      }
    }
  }
}
