package struct AppMessage: OwnerMessage {
  package var app = ""
  package var name: String?
  package var status: String?
  package var shown = ""
  package var provisional: Bool?
  package var confirmed: Bool?
  package var accuracy = ""
  package var sessions: Int?
  package var armed: Bool?
  /// Whether the next press of a button serves the app. Nil if it does not, or if the gateway does not send this field.
  package var isNext: Bool?
  package var isInUse: Bool?
  /// The kind of updates that the app receives without a press of the button: `in-use` or `background`. Nil without
  /// such updates.
  package var updates: String?
  package var pause: String?
  /// The end of the authorization in UTC; nil if it has no end.
  package var until: String?
  /// The authorization that comes back at the end, by the word of `shown`.
  package var then: String?
  /// The purpose of the request that waits for a press, as the app gave it. Nil without such a request or purpose.
  package var says: String?

  package static let members = [
    MessageMember("app", \Self.app), .init("name", \.name), .init("status", \.status), .init("shown", \.shown),
    .init("provisional", \.provisional), .init("confirmed", \.confirmed), .init("accuracy", \.accuracy),
    .init("sessions", \.sessions), .init("armed", \.armed), .init("next", \.isNext), .init("in-use", \.isInUse),
    .init("updates", \.updates), .init("pause", \.pause), .init("until", \.until),
    .init("then", \.then), .init("says", \.says),
  ]

  package init() {}

  package var title: String { name ?? app }
}

package struct PromptMessage: OwnerMessage, Hashable {
  /// The number of the prompt.
  package var prompt = 0
  package var app = ""
  package var kind = ""
  package var name: String?
  package var text = ""
  package var choices = ""
  /// The accuracies that the user can choose, separated by commas. Nil if the prompt does not concern accuracy.
  package var accuracies: String?
  package var says: String?
  package var state = ""
  /// The effect of the next press of the button: `answers` answers the prompt, `serves` gives a fix to a waiting app,
  /// and `otherwise` is any other effect. Nil if the gateway does not send this field.
  package var press: String?
  package var pressApp: String?
  /// The reason why the next press does not answer the prompt, if `press` is `otherwise` and the reason is known.
  package var pressReason: String?
  package var by: String?
  /// The time since the prompt opened, in milliseconds. Nil if the prompt is not open or the gateway does not send this
  /// field.
  package var age: Int?
  /// The time in which a user can still answer, in milliseconds: at the button, if the next press answers the prompt,
  /// and otherwise in any way. Nil in the same cases as `age`.
  package var left: Int?

  package static let members = [
    MessageMember("prompt", \Self.prompt), .init("app", \.app), .init("kind", \.kind), .init("name", \.name),
    .init("text", \.text), .init("choices", \.choices), .init("accuracies", \.accuracies), .init("says", \.says),
    .init("state", \.state), .init("press", \.press), .init("press-app", \.pressApp),
    .init("press-reason", \.pressReason), .init("by", \.by), .init("age_ms", \.age), .init("left_ms", \.left),
  ]

  package init() {}

  package var title: String { name ?? app }
}

package struct RegionMessage: OwnerMessage {
  package var app = ""
  package var id = ""
  package var radius = 0.0
  package var events = ""
  package var state = ""
  package var text: String?

  package static let members = [
    MessageMember("app", \Self.app), .init("id", \.id), .init("radius", \.radius), .init("events", \.events),
    .init("state", \.state), .init("text", \.text),
  ]

  package init() {}
}

package struct PlaceMessage: OwnerMessage {
  package var name = ""
  package var radius = 0.0
  package var apps = ""

  package static let members = [
    MessageMember("name", \Self.name), .init("radius", \.radius), .init("apps", \.apps),
  ]

  package init() {}
}

/// A message that the device has entered or left a region, or that an authorization for a time has ended.
package struct NotificationMessage: OwnerMessage {
  package var app = ""
  package var name: String?
  /// The id of the region; nil if the message is about an authorization.
  package var region: String?
  /// `enter` or `exit`, or `rightEnded`.
  package var event = ""
  /// The authorization that came back, by the word of `AppMessage.shown`; nil if the message is about a region.
  package var shown: String?
  package var says: String?
  package var time: String?

  package static let members = [
    MessageMember("app", \Self.app), .init("name", \.name), .init("region", \.region), .init("event", \.event),
    .init("shown", \.shown), .init("says", \.says), .init("time", \.time),
  ]

  /// The event of the message that an authorization for a time has ended.
  package static let rightEnded = "right-ended"

  package init() {}
}

package struct SessionMessage: OwnerMessage {
  package var session = 0
  package var app = ""
  package var transport = ""
  package var peer = ""
  /// Nil if the clock of the gateway is wrong.
  package var since: String?
  package var away: Bool?
  package var armed: Bool?
  package var isInUse: Bool?
  package var updates: String?

  package static let members = [
    MessageMember("session", \Self.session), .init("app", \.app), .init("transport", \.transport),
    .init("peer", \.peer), .init("since", \.since), .init("away", \.away), .init("armed", \.armed),
    .init("in-use", \.isInUse), .init("updates", \.updates),
  ]

  package init() {}
}

package struct SatelliteMessage: OwnerMessage {
  package var gnss: String?
  package var id = 0
  package var el: Int?
  package var az: Int?
  package var ss: Int?
  package var used: Bool?

  package static let members = [
    MessageMember("gnss", \Self.gnss), .init("id", \.id), .init("el", \.el), .init("az", \.az), .init("ss", \.ss),
    .init("used", \.used),
  ]

  package init() {}
}

/// An entry of the disclosure log. No entry contains coordinates.
package struct EntryMessage: OwnerMessage {
  package var entry = 0
  package var time = ""
  package var app: String?
  package var event = ""
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

  package static let members = [
    MessageMember("entry", \Self.entry), .init("time", \.time), .init("app", \.app), .init("event", \.event),
    .init("accuracy", \.accuracy), .init("right", \.right), .init("transport", \.transport),
    .init("simulated", \.simulated), .init("late", \.late), .init("of", \.of), .init("outcome", \.outcome),
    .init("fixes", \.fixes), .init("kind", \.kind), .init("choice", \.choice), .init("says", \.says),
    .init("language", \.language), .init("by", \.by), .init("user", \.user),
  ]

  package init() {}
}

/// A fault of the disclosure log.
package struct FaultMessage: OwnerMessage {
  package var fault = ""
  /// The number of the first entry with the fault; nil if the fault does not concern particular entries.
  package var entry: Int?
  package var text = ""

  package static let members = [MessageMember("fault", \Self.fault), .init("entry", \.entry), .init("text", \.text)]

  package init() {}
}

/// The number of an app's requests of one hour or day that ended without a fix, for the same reason.
package struct CountMessage: OwnerMessage {
  /// The day in UTC, for example `2026-11-21`.
  package var day = ""
  /// The hour in UTC, 0 to 23; nil if the count is about the whole day, because the day is more than three days ago.
  package var hour: Int?
  package var app = ""
  /// The error that the app received, for example `no-press`, or `cancelled`.
  package var answer = ""
  package var count = 0

  package static let members = [
    MessageMember("day", \Self.day), .init("hour", \.hour), .init("app", \.app), .init("answer", \.answer),
    .init("count", \.count),
  ]

  package init() {}
}

/// A line of the metrics in the OpenMetrics format.
package struct MetricMessage: OwnerMessage {
  package var line = ""

  package static let members = [MessageMember("line", \Self.line)]

  package init() {}
}
