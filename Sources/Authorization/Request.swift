package import Clocks

/// One app's connection, through its reconnects within the grace period.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// One request for one fix, from its acceptance to its end.
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

/// The right of one session to one fix, made by a press.
package struct Grant: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  package let right: Right
  package let press: Press
  /// 60 s after the release.
  package let expires: MonotonicInstant
}

/// A question to the person at the button.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Share with this app when you press? (A1)
    case confirm
    /// The app was not allowed. Use the button from now on? (A4)
    case introduce
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  /// The press that opened it.
  package let press: Press
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
}
