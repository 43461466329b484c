import LineProtocol
package import OneFixClient
import Synchronization

/// A watcher that calls a closure when the state of the gateway has changed, and at regular intervals.
package struct GatewayWatcher: Sendable {
  /// The events since the previous call of the closure: messages of the gateway, other changes, or the end of the
  /// interval.
  package struct Changes: Sendable {
    package fileprivate(set) var isChanged = false
    /// Whether the interval between two calls of the closure has passed.
    package fileprivate(set) var isHeartbeat = false
    package fileprivate(set) var messages: [ServerLine.Message] = []

    fileprivate var isEmpty: Bool { !isChanged && !isHeartbeat && messages.isEmpty }
  }

  private let client: OwnerClient
  private let topics: [Topic]
  private let heartbeat: Duration
  private let pause: Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let changes: (@Sendable () async -> AsyncStream<Void>)?

  /// Creates a watcher of one gateway.
  /// - Parameters:
  ///   - client: The connection to the gateway.
  ///   - topics: The topics to which the watcher subscribes. Each message counts as a change.
  ///   - heartbeat: The maximum time between two calls of the closure.
  ///   - pause: The minimum time between two calls of the closure. All changes in this time cause one call.
  ///   - sleep: Waits for a time.
  ///   - changes: Returns a stream with one element for each change about which the gateway sends no message; nil for
  ///     no such changes.
  package init(
    _ client: OwnerClient, topics: [Topic], heartbeat: Duration, pause: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    changes: (@Sendable () async -> AsyncStream<Void>)? = nil
  ) {
    self.client = client
    self.topics = topics
    self.heartbeat = heartbeat
    self.pause = pause
    self.sleep = sleep
    self.changes = changes
  }

  /// Calls the closure `look` immediately, after each change, and at the interval `heartbeat`. The function returns
  /// when `look` returns false, the connection ends, or the task is cancelled.
  package func run(_ look: (Changes) async throws -> Bool) async throws {
    try await run(beating: true) { try await look($0) ? heartbeat : nil }
  }

  /// Calls the closure `look` immediately, after each change, and after the time that `look` has returned. The function
  /// returns when `look` returns nil, the connection ends, or the task is cancelled.
  package func run(pacedBy look: (Changes) async throws -> Duration?) async throws {
    try await run(beating: false, look)
  }

  /// Calls the closure `look` after changes and at intervals, until the result of `look` is nil.
  /// - Parameters:
  ///   - isRegular: Whether the interval is always `heartbeat`. If false, each call of `look` returns the next
  ///     interval.
  ///   - look: Handles the changes. Returns the time until the next call; nil to stop.
  private func run(beating isRegular: Bool, _ look: (Changes) async throws -> Duration?) async throws {
    let inbox = Inbox()
    let messages = try await client.messages(on: topics)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      // The inbox ends with the messages or with the changes. The loop that reads the inbox then ends, too.
      group.addTask {
        defer { inbox.finish() }
        for try await message in messages { inbox.append(message) }
      }
      if isRegular {
        group.addTask { [heartbeat, sleep] in
          while true {
            try await sleep(heartbeat)
            inbox.markHeartbeat()
          }
        }
      }
      if let changes {
        group.addTask {
          defer { inbox.finish() }
          for await _ in await changes() { inbox.markChanged() }
        }
      }
      var timer: Task<Void, any Error>?
      defer { timer?.cancel() }
      inbox.markChanged()
      for await _ in inbox.signals {
        let changes = inbox.removeAll()
        // The signal of a change can arrive after the change, which an earlier signal has already removed.
        guard !changes.isEmpty else { continue }
        timer?.cancel()
        guard let rest = try await look(changes) else { return }
        if !isRegular {
          timer = Task { [sleep] in
            try await sleep(rest)
            inbox.markHeartbeat()
          }
        }
        try await sleep(pause)
      }
    }
  }
}

/// A store of changes and messages until the next call of the closure of a `GatewayWatcher`.
final class Inbox: Sendable {
  /// The maximum count of stored messages. If there are more, the oldest messages are removed.
  private static let most = 64

  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let contents = Mutex(GatewayWatcher.Changes())

  init() {
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func markChanged() {
    contents.withLock { $0.isChanged = true }
    signal.yield()
  }

  func append(_ message: ServerLine.Message) {
    contents.withLock { contents in
      contents.messages = contents.messages.suffix(Self.most - 1) + [message]
      contents.isChanged = true
    }
    signal.yield()
  }

  func markHeartbeat() {
    contents.withLock { $0.isHeartbeat = true }
    signal.yield()
  }

  func finish() { signal.finish() }

  func removeAll() -> GatewayWatcher.Changes {
    contents.withLock { contents in
      defer { contents = GatewayWatcher.Changes() }
      return contents
    }
  }
}
