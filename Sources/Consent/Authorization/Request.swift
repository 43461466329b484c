package import Base
package import LineProtocol

/// The identifier of a request for a fix, for updates, or for authorization.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// The way in which a client asks for one fix.
package enum RequestKind: Hashable, Sendable {
  /// The app sent the command `REQ once`.
  case explicit
  /// The client waits for a fix without an explicit request: a gpsd client that sent `?WATCH`, or a program that reads
  /// NMEA sentences.
  case watching
  /// A gpsd client sent `?WATCH`, and gets its fix only as the answer to the command `?POLL`.
  case polling
  /// The gateway itself made the request for an output (for example a broker or a file) that gets a fix at each press
  /// of the button. One press serves all such outputs of the app.
  case eachPress

  /// Whether the client made the request without the command `REQ once`. A press of the button serves explicit requests
  /// first.
  package var isImplicit: Bool { self != .explicit }
}

/// A request for one fix that waits for a press of the button.
package struct Arm: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let kind: RequestKind
  package let accepted: MonotonicInstant
  package let deadline: MonotonicInstant
  package var due: MonotonicInstant? { deadline }

  var isImplicit: Bool { kind.isImplicit }

  /// Whether one press of the button serves both requests. Both must be for outputs of one app (such as brokers or
  /// files) that get a fix at each press.
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

/// A grant: the permission of a session to get one fix.
package struct Grant: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// The press of the button that created the grant; nil if the app needs no press (authorization reference, rows C1
  /// and C5).
  package let press: Press?
  /// The earliest arrival time of a measurement that may be used for the fix.
  package let notBefore: MonotonicInstant
  /// The instant at which the grant expires, at most 60 s after the release of the button, or after a request without a
  /// press. If the client fetches the fix later with `?POLL`, a grant by a press expires 2 s after the press is
  /// handled.
  package let expires: MonotonicInstant
  package var due: MonotonicInstant? { expires }
  /// Whether the client fetches its fix later with the gpsd command `?POLL`. Until then, the gateway keeps the fix.
  package internal(set) var isPolled = false
}

/// The permission of a session to get updates (continuous fixes).
package struct Updates: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// Whether the updates continue while the app is not in use, because the app started the updates with `background`
  /// (authorization reference, row C3).
  package let goesOnInBackground: Bool
  package let began: MonotonicInstant
  /// The earliest arrival time of a measurement that may be used for a fix.
  package let notBefore: MonotonicInstant
  /// The instant at which the updates end if the receiver has found no fix; nil after the first fix.
  package internal(set) var firstFixDue: MonotonicInstant?

  /// The latest instant at which the updates end; nil without a time limit.
  var latestEnd: MonotonicInstant? {
    switch right {
    case .whenInUse: goesOnInBackground ? began + Authorization.Bounds.backgroundMax : nil
    case .once, .allowedOnce, .always: nil
    }
  }

  package var due: MonotonicInstant? { [firstFixDue, latestEnd].compactMap(\.self).min() }
}
