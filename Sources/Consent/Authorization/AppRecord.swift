package import Clocks

/// The name of an app whose identity the gateway verified.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let name: String

  /// Nil unless the name is 1...64 lower-case letters, digits, `.`, `-` and `_`, beginning with a letter or digit.
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

/// What an app may know. (Core Location: `CLAuthorizationStatus`)
package enum Status: String, Hashable, Sendable, CaseIterable {
  case notDetermined
  case denied
  case whenInUse
  case always
  /// The owner's configuration forbids it; no prompt can change it.
  case restricted
}

/// How precisely an app may know it. (Core Location: `CLAccuracyAuthorization`)
package enum Accuracy: String, Hashable, Sendable, CaseIterable {
  case full
  case reduced
}

/// The time for which an app may cause no prompt, because nobody answered its last one.
package struct PromptPause: Hashable, Sendable {
  package var until: MonotonicInstant
  /// Doubles with each prompt that nobody answers, up to 24 h.
  package var length: Duration

  package init(until: MonotonicInstant, length: Duration) {
    self.until = until
    self.length = length
  }
}

/// What is kept for an app; it survives restarts and power loss.
package struct AppRecord: Hashable, Sendable {
  package let app: AppID
  package var status: Status
  /// The app asked for `always` and the person answered "while in use": the app sees `always`.
  package var isProvisional = false
  /// The person agreed to this app's use of the button.
  package var isButtonConfirmed = false
  package var accuracy: Accuracy
  /// The person said no to `always`, and the app goes on seeing it until its first HELLO at or after that time. (B5)
  package var seesAlwaysUntil: MonotonicInstant?
  /// The app has asked, once, to be changed from "while in use" to "always".
  package var hasAskedUpgrade = false
  /// The place in the order of service: the app with the least was served least recently. 0: it armed, and was never
  /// served. Nil: it never armed.
  package var lastServed: Int64?
  package var promptPause: PromptPause?

  package init(app: AppID, status: Status = .notDetermined, accuracy: Accuracy = .full) {
    self.app = app
    self.status = status
    self.accuracy = accuracy
  }
}

extension AppRecord {
  /// Whether the app sees `always` though it may know less.
  var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
}

/// By which right a location is given.
package enum Right: String, Hashable, Sendable, CaseIterable {
  /// One press, one fix (A2).
  case once
  /// *Allow once*: a session while it is in use, never stored (B1).
  case allowedOnce
  /// The standing authorization "while using" (A3, C1).
  case whenInUse
  /// The standing authorization "always" (A3, C5).
  case always
}
