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
    var rest = items[...]
    while let item = rest.popFirst() {
      switch item {
      case .line(let line, let connection):
        var isMore = false
        if case .line(_, connection)? = rest.first { isMore = true }
        connection.handler?.send(line, isMore: isMore)
      case .updates(let line, let writers): deliver(line, and: &rest, by: writers)
      case .dropped(let line, let writers): for handler in writers.all { handler.drop(line) }
      }
    }
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

  /// An update, and those of the same clients that follow it: what waits for one of them leaves together, so that who has
  /// fallen behind catches up.
  private func deliver(_ first: OutgoingLine, and rest: inout ArraySlice<Item>, by writers: Writers) {
    // Mostly there is one.
    guard case .updates(_, let next)? = rest.first, next === writers else {
      for handler in writers.all { handler.send(first, isMore: false) }
      return
    }
    var lines = [first]
    while case .updates(let line, let same)? = rest.first, same === writers {
      lines.append(line)
      rest.removeFirst()
    }
    for handler in writers.all {
      for line in lines.dropLast() { handler.send(line, isMore: true) }
      handler.send(lines[lines.count - 1], isMore: false)
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
