package import Clocks
import Connections
import Ports
import Synchronization

/// Who may come in, for the gateway, which makes links, and the server, which opens them.
package final class PageDoor: Sendable {
  private struct State {
    var access = PageAccess()
    /// Nil while the page is not served.
    var identity: PageIdentity?
    var isReporting = false
  }

  private let state = Mutex(State())
  /// Its own: who guesses here is in no app's way.
  private let admission = AdmissionControl()

  package init() {}

  /// The page is served from now on, or is not any more.
  func serve(as identity: PageIdentity?) {
    state.withLock { state in
      state.identity = identity
      state.access = PageAccess()
    }
  }

  /// A link that opens the page once, and how long; nil while the page is not served.
  package func newLink(at now: MonotonicInstant) -> (address: String, life: Duration)? {
    let token = PageToken.byChance()
    return state.withLock { state in
      guard let identity = state.identity else { return nil }
      state.access.addLink(token, at: now)
      // No server is told what stands behind the #, and no page that is visited afterwards.
      return ("\(identity.origin)/#\(token.text)", PageAccess.linkLife)
    }
  }

  /// Opens a link.
  /// - Returns: the token of the session; nil where it is no link, or was opened before.
  func open(_ link: PageToken, at now: MonotonicInstant) -> PageToken? {
    let token = PageToken.byChance()
    return state.withLock { $0.access.open(link, as: token, at: now) } ? token : nil
  }

  func admits(_ token: PageToken, isAct: Bool, at now: MonotonicInstant) -> Bool {
    state.withLock { $0.access.admits(token, isAct: isAct, at: now) }
  }

  func end(_ token: PageToken) { state.withLock { $0.access.end(token) } }

  /// One report is made at a time, since it takes memory.
  /// - Returns: whether it may be; if so `endReport` follows.
  func beginReport() -> Bool {
    state.withLock { state in
      guard !state.isReporting else { return false }
      state.isReporting = true
      return true
    }
  }

  func endReport() { state.withLock { $0.isReporting = false } }

  /// Notes that somebody was refused.
  /// - Returns: how long that waits for its answer: longer each time. Whoever is right is answered at once.
  func noteFailure(at now: MonotonicInstant) -> Duration {
    // All are of this machine.
    admission.noteFailure(from: .subscriber([127, 0, 0, 1]), at: now)
  }
}

extension PageToken {
  fileprivate static func byChance() -> PageToken {
    var generator = SystemRandomNumberGenerator()
    return PageToken((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
