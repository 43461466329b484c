package import Clocks

/// A command that begins something, from its acceptance to its end.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// A session's outstanding request: the app is "showing its button".
package struct Arm: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// Whether the client only watches, as a client of the gpsd port does: the arm ranks after every explicit request and
  /// holds up no prompt.
  package let isImplicit: Bool
  package let accepted: MonotonicInstant
  package let deadline: MonotonicInstant
}

/// A button pressed and released, by its edges' timestamps.
package struct Press: Hashable, Sendable {
  /// As the board names it.
  package let button: String
  package let down: MonotonicInstant
  package let up: MonotonicInstant

  package init(button: String, down: MonotonicInstant, up: MonotonicInstant) {
    self.button = button
    self.down = down
    self.up = up
  }
}

/// The right of one session to one fix.
package struct Grant: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// The press that made it; nil under a standing authorization alone (C1, C5).
  package let press: Press?
  /// No fix is given from an epoch that reached this machine earlier.
  package let notBefore: MonotonicInstant
  /// 60 s after the release; under a standing authorization alone the request's timeout, at most 60 s.
  package let expires: MonotonicInstant
}

/// The right of one session to fix after fix.
package struct Updates: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  /// They were started with `background` and go on when the app is not in use (C3).
  package let goesOnInBackground: Bool
  package let began: MonotonicInstant
  /// No fix is given from an epoch that reached this machine earlier.
  package let notBefore: MonotonicInstant
  /// When they end unless there was a fix; nil once there was.
  package internal(set) var firstFixDue: MonotonicInstant?

  /// When they end however much they are used; nil where they need not.
  var latestEnd: MonotonicInstant? {
    switch right {
    case .whenInUse: goesOnInBackground ? began + Authorization.Bounds.backgroundMax : nil
    case .once, .allowedOnce, .always: nil
    }
  }
}
