package import Base
package import LineProtocol

/// The id of an app, by which the configuration of the gateway names the app.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let name: String

  /// Creates an identifier from 1...64 lower-case letters, digits, `.`, `-` and `_`. The first character is a letter or
  /// digit. Returns nil for any other name.
  package init?(_ name: String) {
    func isPlain(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard (1...64).contains(name.utf8.count), name.utf8.first.map(isPlain) == true,
      name.utf8.allSatisfy({
        isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      })
    else { return nil }
    self.name = name
  }

  package var description: String { name }

  package static func < (left: AppID, right: AppID) -> Bool { left.name < right.name }
}

/// A pause after an unanswered prompt about an app, in which requests of the app open no prompt.
package struct PromptPause: Hashable, Sendable {
  package var until: MonotonicInstant
  /// The length of the pause, which doubles with each further unanswered prompt, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// The end of an authorization that an owner gave for a time, and the authorization that comes back at the end. See row
/// D6 of the authorization reference (right that ends).
package struct TimeLimit: Hashable, Sendable {
  package var end: BootInstant
  /// The authorization status before the authorization for a time.
  package var formerStatus: AuthorizationStatus
  /// The value of `AppRecord.isProvisional` before the authorization for a time.
  package var wasProvisional: Bool

  package init(end: BootInstant, formerStatus: AuthorizationStatus, wasProvisional: Bool = false) {
    self.end = end
    self.formerStatus = formerStatus
    self.wasProvisional = wasProvisional
  }
}

/// The stored authorization of an app, which survives restarts of the daemon and power loss.
package struct AppRecord: Hashable, Sendable {
  package let app: AppID
  package var status: AuthorizationStatus
  /// Whether the app asked for the status `always`, and the user allowed only "while using". The app then sees the
  /// status `always`.
  package var isProvisional = false
  /// Whether the user agreed that the app receives a fix by a press of the button.
  package var isButtonConfirmed = false
  package var accuracy: FixAccuracy
  /// The instant until which the app sees the status `always` although the user refused this status. After this
  /// instant, the first protocol line HELLO of the app shows the real status. The value is nil if no refusal is hidden
  /// from the app. See row B5 of the authorization reference (event that needs "always").
  package var seesAlwaysUntil: MonotonicInstant?
  /// Whether the app has asked to change from "while using" to "always". An app can ask for this change once.
  package var hasAskedUpgrade = false
  /// The position of the app in the order in which presses of the button serve apps. The app with the smallest number
  /// was served least recently. The value is 0 if the app has made a request and was never served, and nil if it has
  /// never made a request.
  package var lastServed: Int64?
  /// The pause after unanswered prompts about the app; nil if there was no unanswered prompt since the latest answer of
  /// a user.
  package var promptPause: PromptPause?
  /// The end of the authorization status; nil if the status has no end.
  package var timeLimit: TimeLimit?

  package init(app: AppID, status: AuthorizationStatus = .notDetermined, accuracy: FixAccuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app sees the status `always` although the real status of the app is "while using". See row B5 of the
  /// authorization reference (event that needs "always").
  var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
}

/// The right by which an app gets a location.
package enum Right: String, Hashable, Sendable, CaseIterable {
  /// The right to one fix by a press of the button. See row A2 of the authorization reference (press for a confirmed
  /// app).
  case once
  /// The right from the answer *allow once*: fixes in one session while the app is in use. This right is never stored.
  /// See row B1 of the authorization reference (prompt *authorize*).
  case allowedOnce
  /// The standing authorization "while using". See rows A3 (press under a standing authorization) and C1 (app in use)
  /// of the authorization reference.
  case whenInUse
  /// The standing authorization "always". See rows A3 (press under a standing authorization) and C5 (status `always`)
  /// of the authorization reference.
  case always
}
