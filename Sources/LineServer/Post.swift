package import NIOCore
import Synchronization

/// What is to be sent by one event loop, which is woken once for all that comes meanwhile.
package final class Post: Sendable {
  /// Fixes of updates that wait at most where the event loop has more to do than it can: then the oldest give way, as they
  /// do for a client that does not read.
  static let mostWaiting = Outbox.mostUpdates

  private enum Item {
    case line(OutgoingLine, Connection)
    case updates(OutgoingLine, Writers)
    /// Updates that gave way.
    case dropped(OutgoingLine, Writers)
  }

  private struct State {
    var items: [Item] = []
    /// How many updates are among them.
    var updates = 0
    /// Whether the event loop will look.
    var isAwaited = false
    var isDelivering = false

    /// - Returns: whether the event loop was to look already.
    mutating func await() -> Bool {
      defer { isAwaited = true }
      return isAwaited
    }

    mutating func dropOldestUpdate() {
      for index in items.indices {
        guard case .updates(let line, let writers) = items[index] else { continue }
        items[index] = .dropped(line, writers)
        updates -= 1
        return
      }
    }
  }

  let eventLoop: any EventLoop
  /// Of those who speak with its clients.
  package let executor: LoopExecutor
  private let state = Mutex(State())

  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    executor = LoopExecutor(eventLoop)
  }

  /// Lines of one connection arrive in the order in which they were sent.
  func send(_ line: OutgoingLine, to connection: Connection) {
    wakeUnless(
      state.withLock { state in
        state.items.append(.line(line, connection))
        return state.await()
      })
  }

  /// Sends a fix of updates.
  func send(_ line: OutgoingLine, by writers: Writers) {
    wakeUnless(
      state.withLock { state in
        state.items.append(.updates(line, writers))
        state.updates += 1
        if state.updates > Self.mostWaiting { state.dropOldestUpdate() }
        return state.await()
      })
  }

  private func wakeUnless(_ isAwaited: Bool) {
    if !isAwaited { eventLoop.execute { self.deliver() } }
  }

  /// Hands over what has come so far, on the event loop.
  func deliver() {
    eventLoop.preconditionInEventLoop()
    var items: [Item] = []
    let isInTurn = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      state.updates = 0
      swap(&state.items, &items)
      return true
    }
    guard isInTurn else { return }
    for index in items.indices { deliver(items[index], before: index + 1 < items.count ? items[index + 1] : nil) }
    items.removeAll(keepingCapacity: true)
    let isDone = state.withLock { state in
      state.isDelivering = false
      guard state.items.isEmpty else { return false }
      // Its storage is used again.
      swap(&state.items, &items)
      state.isAwaited = false
      return true
    }
    // Whoever else waits for this event loop gets a turn.
    if !isDone { eventLoop.execute { self.deliver() } }
  }

  private func deliver(_ item: Item, before next: Item?) {
    switch item {
    case .line(let line, let connection):
      var isMore = false
      if case .line(_, connection)? = next { isMore = true }
      connection.handler?.send(line, isMore: isMore)
    case .updates(let line, let writers): for handler in writers.all { handler.send(line, isMore: false) }
    case .dropped(let line, let writers): for handler in writers.all { handler.drop(line) }
    }
  }
}

/// One for each event loop.
package final class Posts: Sendable {
  private let posts = Mutex<[ObjectIdentifier: Post]>([:])

  package init() {}

  package subscript(eventLoop: any EventLoop) -> Post {
    posts.withLock { posts in
      let key = ObjectIdentifier(eventLoop)
      if let post = posts[key] { return post }
      let post = Post(eventLoop)
      posts[key] = post
      return post
    }
  }
}
