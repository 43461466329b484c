package import Clocks

/// One app's connection, through its reconnects within the grace period.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// Location in use, begun by a person's act for the app.
package struct Use: Hashable, Sendable {
  package let began: MonotonicInstant
  /// When a person last acted for the app.
  package internal(set) var lastAct: MonotonicInstant
}

/// What is kept of a session. Nothing of it is ever stored.
package struct AppSession: Hashable, Sendable {
  package let app: AppID
  package let opened: MonotonicInstant
  /// The app said `STATE background`.
  package internal(set) var isInBackground = false
  /// Its client has lost the connection and may come back.
  package internal(set) var isAway = false
  package internal(set) var use: Use?
  /// *Allow once*, and how precisely (B1). Nil without it.
  package internal(set) var allowedOnce: Accuracy?
  /// *Precise once* (D3).
  package internal(set) var isPreciseOnce = false

  /// What is left of the grace period, and since when it has been running out; nil while it stands still.
  var graceLeft = Authorization.Bounds.grace
  var graceRunsSince: MonotonicInstant?

  init(app: AppID, opened: MonotonicInstant) {
    self.app = app
    self.opened = opened
  }

  var graceEnd: MonotonicInstant? { graceRunsSince.map { $0 + graceLeft } }
  var useEnd: MonotonicInstant? { use.map { $0.lastAct + Authorization.Bounds.useMax } }

  /// Lets the grace period run, or stand still, as the session's state asks for.
  mutating func settleGrace(at now: MonotonicInstant) {
    if let since = graceRunsSince { graceLeft = max(.zero, graceLeft - max(.zero, now - since)) }
    graceRunsSince = isAway || isInBackground && use != nil ? now : nil
  }

  /// A person has acted for the app in this session.
  mutating func act(at instant: MonotonicInstant) {
    use = Use(began: use?.began ?? instant, lastAct: max(use?.lastAct ?? instant, instant))
    graceLeft = Authorization.Bounds.grace
    graceRunsSince = isAway || isInBackground ? max(graceRunsSince ?? instant, instant) : nil
  }
}
