package import Base
package import LineProtocol

/// A pause that begins when the user leaves a prompt about an app without an answer. During the pause, requests of the
/// app open no prompt.
package struct PromptPause: Hashable, Sendable {
  package var until: MonotonicInstant
  /// The duration of the pause. The duration doubles with each further unanswered prompt, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// The end of a temporary authorization from an owner of the gateway, and the authorization that applies after the end
/// (authorization reference, row D6).
package struct TimeLimit: Hashable, Sendable {
  package var end: BootInstant
  /// The authorization status that applies again after the temporary authorization.
  package var formerStatus: AuthorizationStatus
  /// The value that `AppRecord.isProvisional` gets again after the temporary authorization.
  package var wasProvisional: Bool

  package init(end: BootInstant, formerStatus: AuthorizationStatus, wasProvisional: Bool = false) {
    self.end = end
    self.formerStatus = formerStatus
    self.wasProvisional = wasProvisional
  }
}

/// The authorization of one app, as stored in the database.
package struct AppRecord: Hashable, Sendable {
  package let app: AppID
  package var status: AuthorizationStatus
  /// Whether the app asked for the status `always`, and the user allowed only "while using". The app is then told that
  /// its status is `always`.
  package var isProvisional = false
  /// Whether the user once agreed that a press of the button gives this app a fix. Without this agreement, the next
  /// press opens a prompt.
  package var isButtonConfirmed = false
  package var accuracy: FixAccuracy
  /// The instant until which the app is told the status `always`, although the user refused `always`. After this
  /// instant, the app learns its real status when the app next connects. The value is nil if no refusal is hidden
  /// (authorization reference, row B5).
  package var seesAlwaysUntil: MonotonicInstant?
  /// Whether the app already asked to change from "while using" to "always". An app can ask for this change only once.
  package var hasAskedUpgrade = false
  /// The position of the app in the order in which presses of the button serve apps; the smallest value comes first.
  /// The value is 0 if the app made a request but was never served, and nil if the app never made a request.
  package var lastServed: Int64?
  /// The latest pause after an unanswered prompt about the app; nil if the user answered the latest prompt, or if there
  /// was none.
  package var promptPause: PromptPause?
  /// The end of a temporary authorization, with the status that applies afterwards; nil if the status has no end.
  package var timeLimit: TimeLimit?

  package init(app: AppID, status: AuthorizationStatus = .notDetermined, accuracy: FixAccuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app is told the status `always` although its real status is "while using". The difference hides the
  /// user's decision from the app (authorization reference, row B5).
  var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
}

/// The kind of permission by which an app gets a location.
package enum Right: String, Hashable, Sendable, CaseIterable {
  /// Permission for one fix, from one press of the button (authorization reference, row A2).
  case once
  /// Permission for fixes in one session while the user uses the app, from the answer *allow once*. This permission
  /// exists only in memory (authorization reference, row B1).
  case allowedOnce
  /// Stored permission for fixes while the user uses the app (authorization reference, rows A3 and C1).
  case whenInUse
  /// Stored permission for fixes at any time (authorization reference, rows A3 and C5).
  case always
}
