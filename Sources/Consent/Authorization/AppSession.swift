package import Clocks
package import LineProtocol

/// The identifier of an app's session. A client that reconnects within the grace period keeps its session.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// A period in which an app is in use. The period begins when the user does something for the app, for example when the
/// user presses the button and the app gets a fix.
package struct Use: Hashable, Sendable {
  package let began: MonotonicInstant
  /// The instant at which the user last did something for the app.
  package internal(set) var lastAct: MonotonicInstant
}

/// The state of an app's session. The gateway never stores this state on the disk.
package struct AppSession: Hashable, Sendable {
  package let app: AppID
  package let opened: MonotonicInstant
  /// Whether the app sent `STATE background`.
  package internal(set) var isInBackground = false
  /// Whether the client has lost its connection. The client may still resume the session.
  package internal(set) var isAway = false
  package internal(set) var use: Use?
  /// The accuracy of the fixes that the app may get in this session after the answer *allow once*; nil if the user did
  /// not give this answer. (B1)
  package internal(set) var allowedOnce: FixAccuracy?
  /// Whether the user gave the answer *precise once*, which allows fixes with full accuracy for this session. (D3)
  package internal(set) var isPreciseOnce = false

  /// The remaining time of the grace period. In the grace period, the session may be disconnected, or in use in the
  /// background.
  var graceLeft = Authorization.Bounds.grace
  /// The instant since which the grace period is running; nil while the grace period is paused.
  var graceRunsSince: MonotonicInstant?

  init(app: AppID, opened: MonotonicInstant) {
    self.app = app
    self.opened = opened
  }

  var graceEnd: MonotonicInstant? { graceRunsSince.map { $0 + graceLeft } }
  var useEnd: MonotonicInstant? { use.map { $0.lastAct + Authorization.Bounds.useMax } }

  /// Starts or pauses the grace period. The grace period runs while the session is disconnected, and while the session
  /// is in use in the background.
  mutating func settleGrace(at now: MonotonicInstant) {
    if let since = graceRunsSince { graceLeft = max(.zero, graceLeft - max(.zero, now - since)) }
    graceRunsSince = isAway || isInBackground && use != nil ? now : nil
  }

  /// Records that the user did something for the app. The session is then in use, and the grace period starts again.
  mutating func recordUserAct(at instant: MonotonicInstant) {
    use = Use(began: use?.began ?? instant, lastAct: max(use?.lastAct ?? instant, instant))
    graceLeft = Authorization.Bounds.grace
    graceRunsSince = isAway || isInBackground ? max(graceRunsSince ?? instant, instant) : nil
  }
}
