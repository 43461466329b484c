package import Clocks

/// The name of an app whose identity the gateway verified.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let name: String

  /// Creates an identifier; returns nil unless the name is 1...64 lower-case letters, digits, `.`, `-` and `_`, and
  /// begins with a letter or digit.
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

/// The authorization of an app. (Core Location: `CLAuthorizationStatus`)
package enum Status: String, Hashable, Sendable, CaseIterable {
  case notDetermined
  case denied
  case whenInUse
  case always
  /// The owner's configuration forbids the app to get locations; no prompt can change this.
  case restricted
}

/// The accuracy of the locations that an app gets. (Core Location: `CLAccuracyAuthorization`)
package enum Accuracy: String, Hashable, Sendable, CaseIterable {
  case full
  case reduced
}

/// The time for which an app may cause no prompt, because its last prompt had no answer.
package struct PromptPause: Hashable, Sendable {
  package var until: MonotonicInstant
  /// The length of the pause. It doubles with each prompt without an answer, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// The stored state of an app. It survives restarts and power loss.
package struct AppRecord: Hashable, Sendable {
  package let app: AppID
  package var status: Status
  /// Whether the app asked for `always` and the user answered "while in use". The app sees `always`.
  package var isProvisional = false
  /// Whether the user agreed that this app uses the button.
  package var isButtonConfirmed = false
  package var accuracy: Accuracy
  /// The instant until which the app sees `always` at least, after the user refused `always`. The app sees its real
  /// status at its first HELLO from then on. (B5)
  package var seesAlwaysUntil: MonotonicInstant?
  /// Whether the app has asked to change from "while in use" to "always". An app can do so once.
  package var hasAskedUpgrade = false
  /// The position in the order of service: the app with the smallest number was served least recently. 0 if the app
  /// armed and was never served; nil if it never armed.
  package var lastServed: Int64?
  /// The current pause of prompts; nil if the last prompt had an answer.
  package var promptPause: PromptPause?

  package init(app: AppID, status: Status = .notDetermined, accuracy: Accuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app sees `always` although it has less.
  var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
}

/// The right by which an app gets a location.
package enum Right: String, Hashable, Sendable, CaseIterable {
  /// The right to one fix for one press. (A2)
  case once
  /// The right of one session while it is in use, from the answer *allow once*. It is never stored. (B1)
  case allowedOnce
  /// The standing authorization "while using". (A3, C1)
  case whenInUse
  /// The standing authorization "always". (A3, C5)
  case always
}
