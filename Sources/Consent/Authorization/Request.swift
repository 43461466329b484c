package import LineProtocol
package import Base

/// The identifier of a request for a fix, for updates, or for authorization.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// The way in which a client requests one fix.
package enum RequestKind: Hashable, Sendable {
  /// The app sent `REQ once`.
  case explicit
  /// The client waits for a fix without an explicit request: a gpsd client that sent `?WATCH`, or a program that reads
  /// NMEA sentences.
  case watching
  /// The client is a gpsd client that sent `?WATCH`, and that gets its fix only as the answer to `?POLL`.
  case polling
  /// The gateway itself made the request, for an output of the app that gets a fix at each press of the button. An
  /// output is, for example, a broker or a file. One press serves all such outputs of the app.
  case eachPress

  /// Whether the request is not a `REQ once` of the app. Explicit requests are served first. An implicit request does
  /// not delay prompts.
  package var isImplicit: Bool { self != .explicit }
}

/// A request that waits for a press of the button. The app of the request is called *armed*.
package struct Arm: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let kind: RequestKind
  package let accepted: MonotonicInstant
  package let deadline: MonotonicInstant
  package var due: MonotonicInstant? { deadline }

  var isImplicit: Bool { kind.isImplicit }

  /// Whether a press that serves the other request also serves this request. Both must be for outputs of one app, such
  /// as brokers or files, that get a fix at each press.
  func isServed(with other: Arm) -> Bool { kind == .eachPress && other.kind == .eachPress && app == other.app }
}

/// A press of a button, with the kernel's timestamps of the two level changes of the GPIO line.
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

/// The permission of a session to get one fix.
package struct Grant: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// The press of the button that created the grant; nil for a grant without a press (authorization reference, rows C1
  /// and C5).
  package let press: Press?
  /// The earliest permitted arrival time of the measurement from which the fix is computed.
  package let notBefore: MonotonicInstant
  /// The instant at which the grant expires, at most 60 s after the release of the button, or after the request if no
  /// press is needed. If the client fetches the fix later with `?POLL`, a grant by a press expires 2 s after the press
  /// is handled.
  package let expires: MonotonicInstant
  package var due: MonotonicInstant? { expires }
  /// Whether the client fetches its fix later with the gpsd command `?POLL`. Until then, the gateway keeps the fix.
  package internal(set) var isPolled = false
}

/// The permission of a session to get continuous fixes, called updates.
package struct Updates: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// Whether the updates were started with `background`, and go on while the app is not in use (authorization
  /// reference, row C3).
  package let goesOnInBackground: Bool
  package let began: MonotonicInstant
  /// The earliest permitted arrival time of the measurement from which a fix is computed.
  package let notBefore: MonotonicInstant
  /// The instant at which the updates end if the receiver has found no fix; nil after the first fix.
  package internal(set) var firstFixDue: MonotonicInstant?

  /// The instant at which the gateway ends the updates; nil if the duration of the updates is not limited.
  var latestEnd: MonotonicInstant? {
    switch right {
    case .whenInUse: goesOnInBackground ? began + Authorization.Bounds.backgroundMax : nil
    case .once, .allowedOnce, .always: nil
    }
  }

  package var due: MonotonicInstant? { [firstFixDue, latestEnd].compactMap(\.self).min() }
}
