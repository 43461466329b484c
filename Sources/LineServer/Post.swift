import NIOCore
import Synchronization

/// What is to be sent by one event loop: it is woken once for all that comes meanwhile.
final class Post: Sendable {
  private struct Item {
    let connection: Connection
    let line: OutgoingLine
  }

  private struct State {
    var items: [Item] = []
    /// Whether the event loop will look.
    var isAwaited = false
    var isDelivering = false
  }

  private let eventLoop: any EventLoop
  private let state = Mutex(State())

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// Lines of one connection arrive in the order in which they were sent.
  func send(_ line: OutgoingLine, to connection: Connection) {
    let isAwaited = state.withLock { state in
      state.items.append(Item(connection: connection, line: line))
      defer { state.isAwaited = true }
      return state.isAwaited
    }
    if !isAwaited { eventLoop.execute { self.deliver() } }
  }

  /// Hands over what has come so far, on the event loop.
  func deliver() {
    eventLoop.preconditionInEventLoop()
    var items: [Item] = []
    let isInTurn = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      swap(&state.items, &items)
      return true
    }
    guard isInTurn else { return }
    for index in items.indices {
      let connection = items[index].connection
      let isMore = index + 1 < items.count && items[index + 1].connection === connection
      connection.deliver(items[index].line, isMore: isMore)
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
}

/// One for each event loop.
final class Posts: Sendable {
  private let posts = Mutex<[ObjectIdentifier: Post]>([:])

  subscript(eventLoop: any EventLoop) -> Post {
    posts.withLock { posts in
      let key = ObjectIdentifier(eventLoop)
      if let post = posts[key] { return post }
      let post = Post(eventLoop)
      posts[key] = post
      return post
    }
  }
}
