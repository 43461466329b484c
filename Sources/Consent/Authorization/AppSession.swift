package import Base
package import LineProtocol

/// The identifier of an app's session. A client that reconnects within the grace period keeps its session.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// A period in which an app is in use. The period begins with a user's act for the app, for example a press that gives
/// the app a fix.
package struct Use: Hashable, Sendable {
  package let began: MonotonicInstant
  /// The instant of the user's latest act for the app.
  package internal(set) var lastAct: MonotonicInstant
}

/// A session of an app with its rights, which are never stored on the disk.
package struct AppSession: Hashable, Expirable {
  package let app: AppID
  package let opened: MonotonicInstant
  /// Whether the latest command `STATE` in this session was `STATE background`.
  package internal(set) var isInBackground = false
  /// Whether the client has lost its connection and may still resume the session.
  package internal(set) var isAway = false
  package internal(set) var use: Use?
  /// The accuracy of the session's right from the user's answer *allow once*; nil without this right. See row B1 of the
  /// authorization reference (prompt *authorize*).
  package internal(set) var allowedOnce: FixAccuracy?
  /// Whether the session has the right to full accuracy from an answer of the user. See row D3 of the authorization
  /// reference (precise once).
  package internal(set) var isPreciseOnce = false

  /// The remaining time of the grace period, in which the session may be disconnected, or in use in the background.
  var graceLeft = Authorization.Bounds.grace
  /// The instant since which the grace period is running; nil while the grace period is paused.
  var graceRunsSince: MonotonicInstant?

  var graceEnd: MonotonicInstant? { graceRunsSince.map { $0 + graceLeft } }
  var useEnd: MonotonicInstant? { use.map { $0.lastAct + Authorization.Bounds.useMax } }

  package var due: MonotonicInstant? { [graceEnd, useEnd].compactMap(\.self).min() }

  mutating func settleGrace(at now: MonotonicInstant) {
    if let since = graceRunsSince { graceLeft = max(.zero, graceLeft - max(.zero, now - since)) }
    graceRunsSince = isAway || isInBackground && use != nil ? now : nil
  }

  /// Records a user's act for the app. The app is then in use in this session, and the grace period has its full length
  /// again.
  mutating func recordUserAct(at instant: MonotonicInstant) {
    use = Use(began: use?.began ?? instant, lastAct: max(use?.lastAct ?? instant, instant))
    graceLeft = Authorization.Bounds.grace
    graceRunsSince = isAway || isInBackground ? max(graceRunsSince ?? instant, instant) : nil
  }
}
