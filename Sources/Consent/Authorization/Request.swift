package import Base

/// The identifier of a request for a fix, for updates, or for authorization.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// The way in which a client makes a request for one fix.
package enum RequestKind: Hashable, Sendable {
  /// The app sent `REQ once`.
  case explicit
  /// The client watches: a gpsd client that sent `?WATCH`, or a program that reads NMEA sentences.
  case watching
  /// The client is a gpsd client that sent `?WATCH`, and that gets its fix only as the answer to `?POLL`.
  case polling
  /// The gateway itself made the request, for an output of the app that gets a fix by each press. One press serves these
  /// requests of all outputs of the app.
  case eachPress

  /// Whether the client made no explicit request. Explicit requests are served first. An implicit request does not
  /// delay prompts.
  package var isImplicit: Bool { self != .explicit }
}

/// A request that waits for a press of the button. The app of the request is *armed*: a press can give this app a fix.
package struct Arm: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let kind: RequestKind
  package let accepted: MonotonicInstant
  package let deadline: MonotonicInstant
  package var due: MonotonicInstant? { deadline }

  var isImplicit: Bool { kind.isImplicit }

  /// Whether a press that serves the other request also serves this one: both are for outputs of one app that get a fix
  /// by each press.
  func isServed(with other: Arm) -> Bool { kind == .eachPress && other.kind == .eachPress && app == other.app }
}

/// A press of a button, with the kernel's timestamps of both edges of the GPIO line.
package struct Press: Hashable, Sendable {
  package let button: String
  package let down: MonotonicInstant
  package let up: MonotonicInstant

  package init(button: String, down: MonotonicInstant, up: MonotonicInstant) {
    self.button = button
    self.down = down
    self.up = up
  }
}

/// The right of a session to get one fix.
package struct Grant: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// The press of the button that created the grant; nil for a grant without a press. See rows C1 (app in use) and C5
  /// (status `always`) of the authorization reference.
  package let press: Press?
  /// The earliest permitted arrival time of the fix's measurement.
  package let notBefore: MonotonicInstant
  /// The end of the grant. For a grant by a press: 60 s after the release of the button, or 2 s after the handling of
  /// the press if the client polls. For a grant without a press: the timeout of the request, at most 60 s.
  package let expires: MonotonicInstant
  package var due: MonotonicInstant? { expires }
  /// Whether the client gets its fix only as the answer to a later `?POLL`. Until then, the gateway keeps the fix.
  package internal(set) var isPolled = false
}

/// The right of a session to continuous fixes, which are called updates.
package struct Updates: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// Whether the updates were started with `background`, and continue when the app is not in use. See row C3 of the
  /// authorization reference (background updates).
  package let goesOnInBackground: Bool
  package let began: MonotonicInstant
  /// The earliest permitted arrival time of a fix's measurement.
  package let notBefore: MonotonicInstant
  /// The instant at which the updates end if the receiver has found no fix; nil after the first fix.
  package internal(set) var firstFixDue: MonotonicInstant?

  /// The instant at which the gateway ends the updates; nil if their time is not limited.
  var latestEnd: MonotonicInstant? {
    switch right {
    case .whenInUse: goesOnInBackground ? began + Authorization.Bounds.backgroundMax : nil
    case .once, .allowedOnce, .always: nil
    }
  }

  package var due: MonotonicInstant? { [firstFixDue, latestEnd].compactMap(\.self).min() }
}
