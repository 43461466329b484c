package import Clocks

/// The identifier of a request for a fix, a start of updates, or a request for authorization.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// A request that waits for a press. The app of the request is *armed*: a press can give the app a fix.
package struct Arm: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// Whether the request is implicit. A client that subscribes to fixes without an explicit request, for example a gpsd
  /// client with `?WATCH`, makes an implicit request. The gateway serves every explicit request before an implicit
  /// request. An implicit request does not delay prompts.
  package let isImplicit: Bool
  /// The instant at which the gateway accepted the request.
  package let accepted: MonotonicInstant
  /// The instant at which the request times out.
  package let deadline: MonotonicInstant
}

/// A press of a button. The instants are the kernel's timestamps of the edges.
package struct Press: Hashable, Sendable {
  /// The name of the button on the board.
  package let button: String
  package let down: MonotonicInstant
  package let up: MonotonicInstant

  package init(button: String, down: MonotonicInstant, up: MonotonicInstant) {
    self.button = button
    self.down = down
    self.up = up
  }
}

/// A grant: the right of a session to get one fix.
package struct Grant: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// The press that created the grant; nil if the grant only uses a standing authorization. (C1, C5)
  package let press: Press?
  /// The gateway discloses a fix only if its measurement arrived at this instant or later.
  package let notBefore: MonotonicInstant
  /// The instant at which the grant ends. A grant from a press ends 60 s after the release of the button. A grant
  /// without a press ends at the timeout of the request, but at the latest after 60 s.
  package let expires: MonotonicInstant
}

/// The right of a session to continuous fixes.
package struct Updates: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// Whether the updates were started with `background` and continue when the app is not in use. (C3)
  package let goesOnInBackground: Bool
  package let began: MonotonicInstant
  /// The gateway discloses a fix only if its measurement arrived at this instant or later.
  package let notBefore: MonotonicInstant
  /// The instant at which the updates end if the receiver has found no fix for them yet; nil after the first fix.
  package internal(set) var firstFixDue: MonotonicInstant?

  /// The instant at which the gateway ends the updates, even if the app has not stopped them; nil if there is no limit.
  var latestEnd: MonotonicInstant? {
    switch right {
    case .whenInUse: goesOnInBackground ? began + Authorization.Bounds.backgroundMax : nil
    case .once, .allowedOnce, .always: nil
    }
  }
}
