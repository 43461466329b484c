package import Base
package import LineProtocol

/// The identifier of one session of an app. A client that reconnects within 5 s keeps its session.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// A period in which the user uses an app. The period begins with an action of the user for the app, for example a
/// press of the button.
package struct Use: Hashable, Sendable {
  package let began: MonotonicInstant
  /// The instant of the user's latest action for the app.
  package internal(set) var lastAct: MonotonicInstant
}

/// A session of an app, with the permissions that belong only to this session. The session exists only in memory.
package struct AppSession: Hashable, Expirable {
  package let app: AppID
  package let opened: MonotonicInstant
  /// Whether the app runs in the background, as the app last reported with the command `STATE`.
  package internal(set) var isInBackground = false
  /// Whether the client lost its connection and may still resume the session.
  package internal(set) var isAway = false
  package internal(set) var use: Use?
  /// The accuracy of the fixes in this session after the user's answer *allow once*; nil without this answer
  /// (authorization reference, row B1).
  package internal(set) var allowedOnce: FixAccuracy?
  /// Whether the user allowed full accuracy for this session only (authorization reference, row D3).
  package internal(set) var isPreciseOnce = false

  /// The remaining time for which the session may be disconnected, or in use in the background.
  var graceLeft = Authorization.Bounds.grace
  /// The instant since which `graceLeft` has been decreasing; nil while the time does not decrease.
  var graceRunsSince: MonotonicInstant?

  var graceEnd: MonotonicInstant? { graceRunsSince.map { $0 + graceLeft } }
  var useEnd: MonotonicInstant? { use.map { $0.lastAct + Authorization.Bounds.useMax } }

  package var due: MonotonicInstant? { [graceEnd, useEnd].compactMap(\.self).min() }

  mutating func settleGrace(at now: MonotonicInstant) {
    if let since = graceRunsSince { graceLeft = max(.zero, graceLeft - max(.zero, now - since)) }
    graceRunsSince = isAway || isInBackground && use != nil ? now : nil
  }

  mutating func endUse(at now: MonotonicInstant) {
    use = nil
    settleGrace(at: now)
  }

  /// Records an action of the user for the app, so that the app counts as in use in this session. `graceLeft` gets its
  /// full duration again.
  mutating func recordUserAct(at instant: MonotonicInstant) {
    use = Use(began: use?.began ?? instant, lastAct: max(use?.lastAct ?? instant, instant))
    graceLeft = Authorization.Bounds.grace
    graceRunsSince = isAway || isInBackground ? max(graceRunsSince ?? instant, instant) : nil
  }
}
