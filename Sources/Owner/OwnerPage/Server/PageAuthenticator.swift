package import Clocks
import Connections
import Ports
import Synchronization

/// The page's links and sessions. The gateway creates the links, and the server of the page checks links and sessions.
package final class PageAuthenticator: Sendable {
  private struct State {
    var access = PageAccess()
    /// The host and the origin of the page. Nil while the page is not served.
    var identity: PageIdentity?
    var isReporting = false
  }

  private let state = Mutex(State())
  /// The throttle delays clients whose authentication failed. The page does not share the throttle of the apps. For
  /// this reason, a failed authentication at the page does not delay the authentication of apps.
  private let admission = AdmissionControl()

  package init() {}

  /// Starts or stops the acceptance of links and sessions. Ends all previous sessions.
  /// - Parameter identity: the identity of the page. Nil if the page is no longer served.
  func serve(as identity: PageIdentity?) {
    state.withLock { state in
      state.identity = identity
      state.access = PageAccess()
    }
  }

  /// Creates a link that opens the page once.
  /// - Returns: The link and its lifetime, or nil if the page is not served.
  package func makeLink(at now: MonotonicInstant) -> (address: String, lifetime: Duration)? {
    let token = PageToken.random()
    return state.withLock { state in
      guard let identity = state.identity else { return nil }
      state.access.addLink(token, at: now)
      // In an address, browsers do not send the part after `#` to any server, not even in the `Referer` header.
      return ("\(identity.origin)/#\(token.text)", PageAccess.linkLifetime)
    }
  }

  /// Opens a link.
  /// - Returns: The token of the new session, or nil if the link is invalid, expired or already used.
  func open(_ link: PageToken, at now: MonotonicInstant) -> PageToken? {
    let token = PageToken.random()
    return state.withLock { $0.access.open(link, as: token, at: now) } ? token : nil
  }

  func validate(_ token: PageToken, isUserAction: Bool, at now: MonotonicInstant) -> Bool {
    state.withLock { $0.access.validate(token, isUserAction: isUserAction, at: now) }
  }

  func end(_ token: PageToken) { state.withLock { $0.access.end(token) } }

  /// Asks for the permission to generate a report. Only one report is generated at a time, because a report needs much
  /// memory.
  /// - Returns: Whether the caller may generate a report. If true, the caller must call `endReport` after the report.
  func beginReport() -> Bool {
    state.withLock { state in
      guard !state.isReporting else { return false }
      state.isReporting = true
      return true
    }
  }

  func endReport() { state.withLock { $0.isReporting = false } }

  /// Records a refused token.
  /// - Returns: The delay before the response to the browser. The delay grows with each failure.
  func recordFailure(at now: MonotonicInstant) -> Duration {
    // All clients of the page are on this machine. For this reason, the throttle counts the failures of all clients
    // together.
    admission.noteFailure(from: .subscriber([127, 0, 0, 1]), at: now)
  }
}

extension PageToken {
  fileprivate static func random() -> PageToken {
    var generator = SystemRandomNumberGenerator()
    return PageToken((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
