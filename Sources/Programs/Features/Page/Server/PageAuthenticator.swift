package import Base
import Ports
import Serving
import Synchronization

/// The links and sessions of the owners' web page, for use by several threads. The gateway creates links here, and the
/// web server checks links and sessions.
package final class PageAuthenticator: Sendable {
  private struct State {
    var access = PageAccess()
    var identity: PageIdentity?
    var isReporting = false
  }

  private let state = Mutex(State())
  /// The delay after wrong tokens at the page. The page has a counter of its own, so that wrong tokens do not delay
  /// apps.
  private let admission = AdmissionControl()

  package init() {}

  /// Begins or ends the service of the page. A change of the host names ends all links and sessions. The servers of
  /// both loopback addresses call this function with the same value.
  /// - Parameter identity: The host names of the page; nil after the end of the service.
  func serve(as identity: PageIdentity?) {
    state.withLock { state in
      guard identity != state.identity else { return }
      state.identity = identity
      state.access = PageAccess()
    }
  }

  /// Creates a one-time link. Returns the URL and the lifetime of the link; nil if the page is not in service.
  package func makeLink(at now: BootInstant) -> (address: String, lifetime: Duration)? {
    let token = PageToken.random()
    return state.withLock { state in
      guard let identity = state.identity else { return nil }
      state.access.addLink(token, at: now)
      // Browsers never send the fragment of an address, the text after `#`, not even in the header `Referer`.
      return ("\(identity.origin)/#\(token.text)", PageAccess.linkLifetime)
    }
  }

  /// Exchanges a link for a new session. Returns the token of the session; nil if the link is not valid.
  func open(_ link: PageToken, at now: BootInstant) -> PageToken? {
    let token = PageToken.random()
    return state.withLock { $0.access.open(link, as: token, at: now) } ? token : nil
  }

  func validate(_ token: PageToken, isUserAction: Bool, at now: BootInstant) -> Bool {
    state.withLock { $0.access.validate(token, isUserAction: isUserAction, at: now) }
  }

  func end(_ token: PageToken) { state.withLock { $0.access.end(token) } }

  /// Begins a privacy report if no other report is in progress. Returns whether the report has begun; if so, the caller
  /// must later call `endReport()`. A report needs much memory, so two reports at a time are not possible.
  func beginReport() -> Bool {
    state.withLock { state in
      guard !state.isReporting else { return false }
      state.isReporting = true
      return true
    }
  }

  func endReport() { state.withLock { $0.isReporting = false } }

  /// Counts a wrong token. Returns the delay for the response, which grows with each wrong token.
  func recordFailure(at now: MonotonicInstant) -> Duration {
    // All clients of the page are on this machine. One origin without an address counts their failures together.
    admission.noteFailure(from: .subscriber([]), at: now)
  }
}

extension PageToken {
  fileprivate static func random() -> PageToken { PageToken(randomBytes(32)) }
}
