package import Clocks

/// The identifier of an app's session. Reconnects within the grace period keep it.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// A time in which location is in use. It begins with an act of the user for the app.
package struct Use: Hashable, Sendable {
  package let began: MonotonicInstant
  /// The instant of the user's last act for the app.
  package internal(set) var lastAct: MonotonicInstant
}

/// The state of a session. It is never stored.
package struct AppSession: Hashable, Sendable {
  package let app: AppID
  package let opened: MonotonicInstant
  /// Whether the app sent `STATE background`.
  package internal(set) var isInBackground = false
  /// Whether the client lost its connection and may reconnect.
  package internal(set) var isAway = false
  package internal(set) var use: Use?
  /// The accuracy that the answer *allow once* gave; nil if there was no such answer. (B1)
  package internal(set) var allowedOnce: Accuracy?
  /// Whether the user allowed precise fixes for this session. (D3)
  package internal(set) var isPreciseOnce = false

  /// The rest of the grace period.
  var graceLeft = Authorization.Bounds.grace
  /// The instant since which the grace period is running; nil while it is paused.
  var graceRunsSince: MonotonicInstant?

  init(app: AppID, opened: MonotonicInstant) {
    self.app = app
    self.opened = opened
  }

  var graceEnd: MonotonicInstant? { graceRunsSince.map { $0 + graceLeft } }
  var useEnd: MonotonicInstant? { use.map { $0.lastAct + Authorization.Bounds.useMax } }

  /// Runs or pauses the grace period, depending on the state of the session.
  mutating func settleGrace(at now: MonotonicInstant) {
    if let since = graceRunsSince { graceLeft = max(.zero, graceLeft - max(.zero, now - since)) }
    graceRunsSince = isAway || isInBackground && use != nil ? now : nil
  }

  /// Records an act of the user for the app, which begins or extends the use and restarts the grace period.
  mutating func recordUserAct(at instant: MonotonicInstant) {
    use = Use(began: use?.began ?? instant, lastAct: max(use?.lastAct ?? instant, instant))
    graceLeft = Authorization.Bounds.grace
    graceRunsSince = isAway || isInBackground ? max(graceRunsSince ?? instant, instant) : nil
  }
}
