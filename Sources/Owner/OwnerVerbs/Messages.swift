import LineProtocol

/// A message of the gateway to owners.
protocol JSONMessage {
  init(_ json: JSONValue) throws(JSONMemberError)
}

struct AppMessage: JSONMessage {
  var app: String
  var name: String?
  var shown: String
  var provisional: Bool?
  var accuracy: String
  var sessions: Int?
  var armed: Bool?
  /// Whether the next press of a button serves the app. Nil if it does not, or if the gateway does not send this field.
  var isNext: Bool?
  var isInUse: Bool?
  /// The kind of updates that the app receives without a press of the button: `in-use` or `background`. Nil without
  /// such updates.
  var updates: String?
  var pause: String?

  init(_ json: JSONValue) throws(JSONMemberError) {
    app = try json.member("app")
    name = try json.member("name")
    shown = try json.member("shown")
    provisional = try json.member("provisional")
    accuracy = try json.member("accuracy")
    sessions = try json.member("sessions")
    armed = try json.member("armed")
    isNext = try json.member("next")
    isInUse = try json.member("in-use")
    updates = try json.member("updates")
    pause = try json.member("pause")
  }

  var title: String { name ?? app }
}

struct PromptMessage: JSONMessage, Hashable {
  /// The number of the prompt.
  var prompt: Int
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
  /// The effect of the next press of the button: `answers` answers the prompt, `serves` gives a fix to a waiting app,
  /// and `otherwise` is any other effect. Nil if the gateway does not send this field.
  var press: String?
  var pressApp: String?
  /// The time since the prompt opened, in milliseconds. Nil if the prompt is not open or the gateway does not send this
  /// field.
  var age: Int?

  init(_ json: JSONValue) throws(JSONMemberError) {
    prompt = try json.member("prompt")
    app = try json.member("app")
    name = try json.member("name")
    kind = try json.member("kind")
    text = try json.member("text")
    choices = try json.member("choices")
    accuracies = try json.member("accuracies")
    says = try json.member("says")
    state = try json.member("state")
    by = try json.member("by")
    press = try json.member("press")
    pressApp = try json.member("press-app")
    age = try json.member("age_ms")
  }

  var title: String { name ?? app }
}

struct RegionMessage: JSONMessage {
  var app: String
  var id: String
  var radius: Double
  var events: String
  var state: String
  var text: String?

  init(_ json: JSONValue) throws(JSONMemberError) {
    app = try json.member("app")
    id = try json.member("id")
    radius = try json.member("radius")
    events = try json.member("events")
    state = try json.member("state")
    text = try json.member("text")
  }
}

struct PlaceMessage: JSONMessage {
  var name: String
  var radius: Double
  var apps: String

  init(_ json: JSONValue) throws(JSONMemberError) {
    name = try json.member("name")
    radius = try json.member("radius")
    apps = try json.member("apps")
  }
}

/// A message that the device has entered or left a region.
struct NotificationMessage: JSONMessage {
  var app: String
  var name: String?
  var region: String
  var event: String
  var says: String?

  init(_ json: JSONValue) throws(JSONMemberError) {
    app = try json.member("app")
    name = try json.member("name")
    region = try json.member("region")
    event = try json.member("event")
    says = try json.member("says")
  }
}

struct SessionMessage: JSONMessage {
  var session: Int
  var app: String
  var transport: String
  var peer: String
  /// Nil if the clock of the gateway is wrong.
  var since: String?
  var away: Bool?
  var armed: Bool?
  var isInUse: Bool?
  var updates: String?

  init(_ json: JSONValue) throws(JSONMemberError) {
    session = try json.member("session")
    app = try json.member("app")
    transport = try json.member("transport")
    peer = try json.member("peer")
    since = try json.member("since")
    away = try json.member("away")
    armed = try json.member("armed")
    isInUse = try json.member("in-use")
    updates = try json.member("updates")
  }
}

struct SatelliteMessage: JSONMessage {
  var gnss: String?
  var id: Int
  var el: Int?
  var az: Int?
  var ss: Int?
  var used: Bool?

  init(_ json: JSONValue) throws(JSONMemberError) {
    gnss = try json.member("gnss")
    id = try json.member("id")
    el = try json.member("el")
    az = try json.member("az")
    ss = try json.member("ss")
    used = try json.member("used")
  }
}

/// An entry of the disclosure log.
package struct EntryMessage: JSONMessage, Sendable {
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
  /// The kind of the prompt that was answered.
  package var kind: String?
  package var choice: String?
  /// The purpose of the app, as the prompt showed it.
  package var says: String?
  package var language: String?
  /// The way in which a user answered: `button`, `console`, `page` or `socket`.
  package var by: String?
  /// The user ID of the owner on the owners' socket; nil for other ways to answer.
  package var user: Int?

  package init?(json: String) {
    guard let value = JSONValue(json.utf8), let entry = try? EntryMessage(value) else { return nil }
    self = entry
  }

  init(_ json: JSONValue) throws(JSONMemberError) {
    entry = try json.member("entry")
    time = try json.member("time")
    event = try json.member("event")
    app = try json.member("app")
    accuracy = try json.member("accuracy")
    right = try json.member("right")
    transport = try json.member("transport")
    simulated = try json.member("simulated")
    late = try json.member("late")
    of = try json.member("of")
    outcome = try json.member("outcome")
    fixes = try json.member("fixes")
    kind = try json.member("kind")
    choice = try json.member("choice")
    says = try json.member("says")
    language = try json.member("language")
    by = try json.member("by")
    user = try json.member("user")
  }
}

extension ServerLine.Message {
  func decoded<Contents: JSONMessage>(as type: Contents.Type) -> Contents? {
    JSONValue(json.utf8).flatMap { try? Contents($0) }
  }
}
