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
  /// Whether the next press of a button gives a fix to this app; nil if not, or if the gateway does not send this
  /// member.
  package var isNext: Bool?
  /// Whether only outputs of the app (for example files or servers) wait, which get a fix at each press; nil if not.
  package var isForEachPress: Bool?
  package var isInUse: Bool?
  /// The scope of the updates (repeated fixes) that the app receives without a press of the button: `in-use` or
  /// `background`. Nil if the app receives no such updates.
  package var updates: String?
  package var pause: String?
  /// The time in UTC at which the authorization ends; nil if the authorization has no end.
  package var until: String?
  /// The authorization after the end of the present authorization, as a word like `shown`; nil if the present
  /// authorization has no end.
  package var then: String?
  /// The app's own text about the purpose of the request that waits for a press of the button. Nil if no request waits,
  /// or if the app gave no purpose.
  package var says: String?

  package static let members = [
    MessageMember("app", \Self.app), .init("name", \.name), .init("status", \.status), .init("shown", \.shown),
    .init("provisional", \.provisional), .init("confirmed", \.confirmed), .init("accuracy", \.accuracy),
    .init("sessions", \.sessions), .init("armed", \.armed), .init("next", \.isNext),
    .init("each-press", \.isForEachPress), .init("in-use", \.isInUse), .init("updates", \.updates),
    .init("pause", \.pause), .init("until", \.until),
    .init("then", \.then), .init("says", \.says),
  ]

  package init() {}

  package var title: String { name ?? app }
}

package struct PromptMessage: OwnerMessage, Hashable {
  /// The identifier of the prompt (a question to the user), from 1.
  package var prompt = 0
  package var app = ""
  package var kind = ""
  package var name: String?
  package var text = ""
  package var choices = ""
  /// The accuracies that the user can choose, separated by commas; nil if the prompt (the question to the user) does
  /// not ask for an accuracy.
  package var accuracies: String?
  package var says: String?
  package var state = ""
  /// The effect of the next press of the button: `answers` (answers this question to the user), `serves` (gives a fix
  /// to a waiting app) or `otherwise`. Nil if the gateway does not report the effect.
  package var press: String?
  package var pressApp: String?
  /// The reason for the effect `otherwise` of the next press of the button; nil for another effect, or if the reason is
  /// unknown.
  package var pressReason: String?
  /// The names of the buttons whose next press has this effect, separated by commas; nil if it is each button.
  package var pressButtons: String?
  package var by: String?
  /// The time since the prompt (the question to the user) opened, in milliseconds; nil if the prompt is closed, or if
  /// the gateway does not report the time.
  package var age: Int?
  /// The remaining time for an answer in milliseconds. If the next press of the button answers the prompt (the question
  /// to the user), the time is that of the button; otherwise, the time is that of all ways to answer. Nil if `age` is
  /// nil.
  package var left: Int?

  package static let members = [
    MessageMember("prompt", \Self.prompt), .init("app", \.app), .init("kind", \.kind), .init("name", \.name),
    .init("text", \.text), .init("choices", \.choices), .init("accuracies", \.accuracies), .init("says", \.says),
    .init("state", \.state), .init("press", \.press), .init("press-app", \.pressApp),
    .init("press-reason", \.pressReason), .init("press-buttons", \.pressButtons), .init("by", \.by),
    .init("age_ms", \.age), .init("left_ms", \.left),
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

/// A message to an owner (administrator): the device entered or left a region (a circle on the ground), or a temporary
/// authorization has ended.
package struct NotificationMessage: OwnerMessage {
  package var app = ""
  package var name: String?
  /// The id of the region (a circle on the ground); nil if the message is about an authorization.
  package var region: String?
  /// The event: `enter` or `exit` of a region (a circle on the ground), or `rightEnded` for the end of an
  /// authorization.
  package var event = ""
  /// The authorization of the app after a temporary authorization has ended, as a word like `AppMessage.shown`. Nil if
  /// the message is about a region.
  package var shown: String?
  package var says: String?
  package var time: String?

  package static let members = [
    MessageMember("app", \Self.app), .init("name", \.name), .init("region", \.region), .init("event", \.event),
    .init("shown", \.shown), .init("says", \.says), .init("time", \.time),
  ]

  /// The value of the member `event` that means the end of a temporary authorization.
  package static let rightEnded = "right-ended"

  package init() {}
}

package struct SessionMessage: OwnerMessage {
  package var session = 0
  package var app = ""
  package var transport = ""
  package var peer = ""
  /// The time in UTC at which the session began; nil if the clock of the gateway is wrong.
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

/// An entry of the log of all fixes that apps received. No entry contains coordinates.
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
  /// The kind of the prompt (a question to the user) that was answered; nil if the entry is not an answer.
  package var kind: String?
  package var choice: String?
  /// The app's own text about the purpose of its request, as shown in the prompt (a question to the user). Nil if no
  /// purpose was shown.
  package var says: String?
  package var language: String?
  /// The way in which a user answered the prompt (a question to the user): `button`, `console`, `page` or `socket`. Nil
  /// if the entry is not an answer.
  package var by: String?
  /// The Unix user ID behind an answer over the Unix socket for owners (administrators); nil for all other log entries.
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

/// A defect in the log of the fixes that apps received.
package struct FaultMessage: OwnerMessage {
  package var fault = ""
  /// The number of the first defective log entry; nil if the defect does not concern particular entries.
  package var entry: Int?
  package var text = ""

  package static let members = [MessageMember("fault", \Self.fault), .init("entry", \.entry), .init("text", \.text)]

  package init() {}
}

/// The count of an app's requests in one hour or day that ended without a fix for the same reason.
package struct CountMessage: OwnerMessage {
  /// The day in UTC, for example `2026-11-21`.
  package var day = ""
  /// The hour in UTC, 0...23; nil if the count covers the whole day. Counts from more than three days ago cover whole
  /// days.
  package var hour: Int?
  package var app = ""
  /// The reason: the name of the error that the app received, for example `no-press`, or `cancelled`.
  package var answer = ""
  package var count = 0

  package static let members = [
    MessageMember("day", \Self.day), .init("hour", \.hour), .init("app", \.app), .init("answer", \.answer),
    .init("count", \.count),
  ]

  package init() {}
}

/// One text line of the metrics in the OpenMetrics format.
package struct MetricMessage: OwnerMessage {
  package var line = ""

  package static let members = [MessageMember("line", \Self.line)]

  package init() {}
}
