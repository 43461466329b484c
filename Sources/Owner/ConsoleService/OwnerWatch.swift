import LineProtocol
package import OneFixClient
import OwnerVerbs
import Synchronization

/// Looks at a gateway as its owner, again and again: when something has happened there, and when nothing has for a while.
package struct OwnerWatch: Sendable {
  /// What has come since the last look.
  package struct Occasion: Sendable {
    /// Whether something may look different.
    package fileprivate(set) var isChanged = false
    /// Whether it is time for a look, whatever has happened.
    package fileprivate(set) var isBeat = false
    package fileprivate(set) var messages: [ServerLine.Message] = []
  }

  private let client: OwnerClient
  private let topics: [Topic]
  private let beat: Duration
  private let pause: Duration
  private let changes: (@Sendable () async -> AsyncStream<Void>)?

  /// - Parameters:
  ///   - client: connected to the owners' socket.
  ///   - topics: their messages are changes.
  ///   - beat: between two looks at most.
  ///   - pause: between two looks at least: what happens then is looked at together.
  ///   - changes: of the gateway, where it says more than its messages do.
  package init(
    _ client: OwnerClient, topics: [Topic], beat: Duration, pause: Duration,
    changes: (@Sendable () async -> AsyncStream<Void>)? = nil
  ) {
    self.client = client
    self.topics = topics
    self.beat = beat
    self.pause = pause
    self.changes = changes
  }

  /// Looks at once, and then until the gateway is gone, the surrounding task is cancelled, or it is enough.
  /// - Parameter look: returns whether it goes on.
  package func run(_ look: (Occasion) async throws -> Bool) async throws {
    let inbox = Inbox()
    let messages = try await client.messages(on: topics)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      // Where one of these ends, nothing more is heard, and it is over.
      group.addTask {
        defer { inbox.finish() }
        for try await message in messages { inbox.put(message) }
      }
      group.addTask { [beat] in
        defer { inbox.finish() }
        while true {
          try await Task.sleep(for: beat)
          inbox.noteBeat()
        }
      }
      if let changes {
        group.addTask {
          defer { inbox.finish() }
          for await _ in await changes() { inbox.noteChange() }
        }
      }
      inbox.noteChange()
      for await _ in inbox.signals {
        guard try await look(inbox.take()) else { return }
        try await Task.sleep(for: pause)
      }
    }
  }
}

private final class Inbox: Sendable {
  /// Of messages that wait; the oldest are left out, which nobody could read so fast.
  private static let most = 64

  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let contents = Mutex(OwnerWatch.Occasion())

  init() {
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func noteChange() {
    contents.withLock { $0.isChanged = true }
    signal.yield()
  }

  func put(_ message: ServerLine.Message) {
    contents.withLock { contents in
      contents.messages = contents.messages.suffix(Self.most - 1) + [message]
      contents.isChanged = true
    }
    signal.yield()
  }

  func noteBeat() {
    contents.withLock { $0.isBeat = true }
    signal.yield()
  }

  func finish() { signal.finish() }

  func take() -> OwnerWatch.Occasion {
    contents.withLock { contents in
      defer { contents = OwnerWatch.Occasion() }
      return contents
    }
  }
}
