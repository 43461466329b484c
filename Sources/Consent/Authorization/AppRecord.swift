package import Base
package import LineProtocol

/// A pause that begins when the user leaves a prompt (a question about an app) without an answer, or after an answer that
/// changes no permission. During the pause, requests of the app open no prompt.
package struct PromptPause: Hashable, Sendable {
  package var until: MonotonicInstant
  /// The duration of the pause. The duration doubles with each further pause, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// The end of a temporary authorization from an owner of the gateway, and the authorization that applies afterwards
/// (authorization reference, row D6).
package struct TimeLimit: Hashable, Sendable {
  package var end: BootInstant
  /// The authorization status that the app gets back after the temporary authorization.
  package var formerStatus: AuthorizationStatus
  /// Whether `AppRecord.isProvisional` is true again after the temporary authorization.
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
  /// Whether the app asked for the status `always`, and the user allowed only "while using" so far. The app is told
  /// `always` until the user decides.
  package var isProvisional = false
  /// Whether the user agreed that a press of the button gives this app a fix. If false, the next press first asks the
  /// user.
  package var isButtonConfirmed = false
  package var accuracy: FixAccuracy
  /// The instant until which the app is told the status `always`, although the user refused `always`; nil if no refusal
  /// is hidden. Later, the app learns its real status when its client connects (authorization reference, row B5).
  package var seesAlwaysUntil: MonotonicInstant?
  /// Whether the app already requested a change from "while using" to "always". An app can request this change only
  /// once.
  package var hasAskedUpgrade = false
  /// The sequence number of the latest grant to the app by a press of the button. A press serves the app with the
  /// lowest number first. The value is 0 before the first grant, and nil before the first request.
  package var lastServed: Int64?
  /// The latest pause of the prompts (questions) about the app; nil without a pause, or after an answer that ends the
  /// pause.
  package var promptPause: PromptPause?
  /// The end of a temporary authorization, with the status that applies afterwards; nil if the authorization has no
  /// end.
  package var timeLimit: TimeLimit?

  package init(app: AppID, status: AuthorizationStatus = .notDetermined, accuracy: FixAccuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app is told the status `always` although its real status is "while using". The false status hides the
  /// decision of the user (authorization reference, row B5).
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
