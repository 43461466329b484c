import FoundationEssentials
import LineProtocol

/// A message about an app.
struct AppMessage: Decodable {
  var app: String
  var name: String?
  var shown: String
  var provisional: Bool?
  var accuracy: String
  var sessions: Int?
  var armed: Bool?
  var isInUse: Bool?
  /// The kind of updates that the app receives without a press of the button: `in-use` or `background`. Nil if the app
  /// receives no such updates.
  var updates: String?
  var pause: String?

  enum CodingKeys: String, CodingKey {
    case app
    case name
    case shown
    case provisional
    case accuracy
    case sessions
    case armed
    case isInUse = "in-use"
    case updates
    case pause
  }

  /// The display name of the app.
  var title: String { name ?? app }
}

/// A message about a prompt.
struct PromptMessage: Decodable, Hashable {
  /// The number of the prompt. Nil while the prompt is queued.
  var prompt: Int?
  var app: String
  var name: String?
  var kind: String
  var text: String
  var choices: String
  /// The accuracies that the user can choose, separated by commas. Nil if the prompt does not concern accuracy.
  var accuracies: String?
  var says: String?
  var state: String
  var by: String?
  /// The effect of the next press of the button: `answers` if the press answers the prompt, `serves` if the press gives
  /// a fix to a waiting app, `otherwise` if the press does neither. Nil if the gateway does not send this field.
  var press: String?
  /// The app that receives a fix if the user presses the button now.
  var pressApp: String?
  /// The time since the prompt opened, in milliseconds. Nil if the prompt is not open or the gateway does not send this
  /// field.
  var age: Int?

  enum CodingKeys: String, CodingKey {
    case prompt
    case app
    case name
    case kind
    case text
    case choices
    case accuracies
    case says
    case state
    case by
    case press
    case pressApp = "press-app"
    case age = "age_ms"
  }

  var title: String { name ?? app }
}

/// A message about a region. The message contains no position.
struct RegionMessage: Decodable {
  var app: String
  var id: String
  var radius: Double
  var events: String
  var state: String
  var text: String?
}

/// A message that the device has entered or left a region.
struct NotificationMessage: Decodable {
  var app: String
  var name: String?
  var region: String
  var event: String
  var says: String?
}

/// A message about a session.
struct SessionMessage: Decodable {
  var session: Int
  var app: String
  var transport: String
  var peer: String
  var since: String
  var away: Bool?
  var armed: Bool?
  var isInUse: Bool?
  var updates: String?

  enum CodingKeys: String, CodingKey {
    case session
    case app
    case transport
    case peer
    case since
    case away
    case armed
    case isInUse = "in-use"
    case updates
  }
}

/// A message about a satellite.
struct SatelliteMessage: Decodable {
  var gnss: String?
  var id: Int
  var el: Int?
  var az: Int?
  var ss: Int?
  var used: Bool?
}

/// An entry of the log of disclosures.
package struct EntryMessage: Decodable, Sendable {
  package var entry: Int
  package var time: String
  package var event: String
  package var app: String?
  package var accuracy: String?
  package var right: String?
  package var transport: String?
  package var simulated: Bool?
  package var late: Bool?
  package var of: Int?
  package var outcome: String?
  package var fixes: Int?

  /// Returns nil if this version does not support the message.
  package init?(json: String) {
    guard let entry = decoded(json, as: EntryMessage.self) else { return nil }
    self = entry
  }
}

extension ServerLine.Message {
  /// Returns the decoded message, or nil if this version does not support it.
  func decoded<Contents: Decodable>(as type: Contents.Type) -> Contents? { OwnerVerbs.decoded(json, as: type) }
}

private func decoded<Contents: Decodable>(_ json: String, as type: Contents.Type) -> Contents? {
  try? JSONDecoder().decode(type, from: Data(json.utf8))
}
