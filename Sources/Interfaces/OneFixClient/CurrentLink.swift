import Synchronization

/// Holds the present connection of a client. Any thread can close this connection without a wait for the client's
/// actor.
final class CurrentLink: Sendable {
  private let state = Mutex<(link: Link?, isOver: Bool)>((nil, false))

  var link: Link? { state.withLock { $0.link } }

  func set(_ link: Link) {
    let isOver = state.withLock { state in
      state.link = link
      return state.isOver
    }
    if isOver { link.cut() }
  }

  /// Closes the present connection, and each later connection as soon as `set` receives the connection.
  func cut() {
    let link = state.withLock { state in
      state.isOver = true
      return state.link
    }
    link?.cut()
  }
}
