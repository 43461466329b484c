package import Base
import Ports
import Serving
import Synchronization

/// The authentication of the web page for the owners. The gateway creates links here, and the server of the page checks
/// them.
package final class PageAuthenticator: Sendable {
  private struct State {
    var access = PageAccess()
    var identity: PageIdentity?
    var isReporting = false
  }

  private let state = Mutex(State())
  /// The delay after failed authentications at the page. The page has a limit of its own, so that its failures do not
  /// delay an app.
  private let admission = AdmissionControl()

  package init() {}

  /// Begins or ends the service of the page. A change of the identity ends all links and sessions. The servers of both
  /// loopback addresses call this function with the same identity.
  /// - Parameter identity: The host names of the page; nil if the page is no longer served.
  func serve(as identity: PageIdentity?) {
    state.withLock { state in
      guard identity != state.identity else { return }
      state.identity = identity
      state.access = PageAccess()
    }
  }

  /// Creates a link. Returns its address and how long it is valid; nil if the page is not served.
  package func makeLink(at now: MonotonicInstant) -> (address: String, lifetime: Duration)? {
    let token = PageToken.random()
    return state.withLock { state in
      guard let identity = state.identity else { return nil }
      state.access.addLink(token, at: now)
      // Browsers never send the fragment of an address, the text after `#`, not even in the header `Referer`.
      return ("\(identity.origin)/#\(token.text)", PageAccess.linkLifetime)
    }
  }

  /// Opens a link, and returns the token of the new session; nil if the link is not valid.
  func open(_ link: PageToken, at now: MonotonicInstant) -> PageToken? {
    let token = PageToken.random()
    return state.withLock { $0.access.open(link, as: token, at: now) } ? token : nil
  }

  func validate(_ token: PageToken, isUserAction: Bool, at now: MonotonicInstant) -> Bool {
    state.withLock { $0.access.validate(token, isUserAction: isUserAction, at: now) }
  }

  func end(_ token: PageToken) { state.withLock { $0.access.end(token) } }

  /// Returns whether the caller may create a privacy report. A report needs much memory, so only one is created at a
  /// time. After a result of true, the caller must call `endReport()`.
  func beginReport() -> Bool {
    state.withLock { state in
      guard !state.isReporting else { return false }
      state.isReporting = true
      return true
    }
  }

  func endReport() { state.withLock { $0.isReporting = false } }

  /// Counts a wrong token. Returns the time by which the response must be delayed, which grows with each failure.
  func recordFailure(at now: MonotonicInstant) -> Duration {
    // All clients of the page are on this machine, so the throttle counts their failures together.
    admission.noteFailure(from: .subscriber([127, 0, 0, 1]), at: now)
  }
}

extension PageToken {
  fileprivate static func random() -> PageToken {
    var generator = SystemRandomNumberGenerator()
    return PageToken((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
