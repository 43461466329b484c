import FoundationEssentials
import LineProtocol

/// What a gateway says of an app.
struct AppMessage: Decodable {
  var app: String
  var name: String?
  var shown: String
  var provisional: Bool?
  var accuracy: String
  var sessions: Int?
  var armed: Bool?
  var isInUse: Bool?
  /// Whether it gets fixes without a press: `in-use` or `background`; nil where not.
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

  /// How it is called to people.
  var title: String { name ?? app }
}

/// What a gateway says of a question.
struct PromptMessage: Decodable, Hashable {
  /// Nil while it waits for its turn.
  var prompt: Int?
  var app: String
  var name: String?
  var kind: String
  var text: String
  var choices: String
  /// How precisely an answer may let the app know, separated by commas; nil if the question is not about that.
  var accuracies: String?
  var says: String?
  var state: String
  var by: String?
  /// What the next press does: `answers`, `serves` or `otherwise`; nil if the gateway does not say.
  var press: String?
  /// The app that the next press serves.
  var pressApp: String?
  /// Milliseconds since it was shown, where it is open; nil where the gateway does not say.
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

/// What a gateway says of a region. No place.
struct RegionMessage: Decodable {
  var app: String
  var id: String
  var radius: Double
  var events: String
  var state: String
  var text: String?
}

/// What a gateway says of a region's border that was crossed.
struct NotificationMessage: Decodable {
  var app: String
  var name: String?
  var region: String
  var event: String
  var says: String?
}

/// What a gateway says of a session.
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

/// What a gateway says of a satellite.
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

  /// Nil for what is not what this version understands.
  package init?(json: String) {
    guard let entry = decoded(json, as: EntryMessage.self) else { return nil }
    self = entry
  }
}

extension ServerLine.Message {
  /// What it says; nil where it is not what this version understands.
  func decoded<Contents: Decodable>(as type: Contents.Type) -> Contents? { OwnerVerbs.decoded(json, as: type) }
}

private func decoded<Contents: Decodable>(_ json: String, as type: Contents.Type) -> Contents? {
  try? JSONDecoder().decode(type, from: Data(json.utf8))
}
