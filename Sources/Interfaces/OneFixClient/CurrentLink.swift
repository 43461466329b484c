import Synchronization

/// The connection that is being opened or in use. It can be closed without a wait for the client.
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

  /// Closes the connection, and every later one.
  func cut() {
    let link = state.withLock { state in
      state.isOver = true
      return state.link
    }
    link?.cut()
  }
}
