import Synchronization

/// A thread-safe reference to the present connection of a client. Code outside the client's actor can close the
/// connection immediately.
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

  /// Closes the present connection. Each later call of `set` closes its connection immediately.
  func cut() {
    let link = state.withLock { state in
      state.isOver = true
      return state.link
    }
    link?.cut()
  }
}
