package import Clocks
package import LineProtocol

/// The name of an app.
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
  /// The length of the pause. It doubles with each unanswered prompt, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// The stored state of an app. It survives restarts and power loss.
package struct AppRecord: Hashable, Sendable {
  package let app: AppID
  package var status: AuthorizationStatus
  /// Whether the app asked for `always`, and the user allowed only "while using". The app then sees `always`.
  package var isProvisional = false
  /// Whether the user agreed that the app receives a fix by a press of the button.
  package var isButtonConfirmed = false
  package var accuracy: FixAccuracy
  /// The instant until which the app sees `always` although the user refused it. After this instant, the first HELLO of
  /// the app shows the real status. The value is nil if the app sees the real status. (B5)
  package var seesAlwaysUntil: MonotonicInstant?
  /// Whether the app has asked to change from "while using" to "always". An app can ask once.
  package var hasAskedUpgrade = false
  /// The app's position in the order of service. The app with the smallest number was served least recently. The value
  /// is 0 if the app has made a request and was never served, and nil if it has never made a request.
  package var lastServed: Int64?
  /// The pause after unanswered prompts; nil if the last prompt about the app was answered.
  package var promptPause: PromptPause?

  package init(app: AppID, status: AuthorizationStatus = .notDetermined, accuracy: FixAccuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app sees `always` although its status is "while using". (B5)
  var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
}

/// The right by which an app gets a location.
package enum Right: String, Hashable, Sendable, CaseIterable {
  /// The right to one fix by a press of the button. (A2)
  case once
  /// The right from the answer *allow once*: fixes in one session while the app is in use. It is never stored. (B1)
  case allowedOnce
  /// The standing authorization "while using". (A3, C1)
  case whenInUse
  /// The standing authorization "always". (A3, C5)
  case always
}
