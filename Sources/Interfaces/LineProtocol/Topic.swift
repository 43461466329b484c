/// The topics to which a client can subscribe. Each message of the gateway has a topic, as in MQTT.
public enum Topic: String, Hashable, Sendable, CaseIterable {
  /// The fix for the request `REQ once` of an app.
  case fixOnce = "fix/once"
  /// The fixes after the command `START updates` of an app.
  case fixUpdates = "fix/updates"
  /// The result of each press of the button: whether the press permitted a fix.
  case buttonPress = "button/press"
  /// The state that the indicator (LED) shows.
  case indicator
  /// The authorization of the app and its accuracy.
  case authorization
  /// Whether the GNSS receiver is connected.
  case receiver
  /// The regions of the app, which the gateway lists in reply to a command.
  case regions
  /// Prompts (questions to the user), and their answers.
  case ownerPrompt = "owner/prompt"
  /// Notifications for the user: the device entered or left a region whose app may not receive the event, or a
  /// temporary authorization has ended.
  case ownerNotification = "owner/notification"
  /// The apps whose state changed: the next press of a button now gives a fix to the app, or no longer does.
  case ownerApps = "owner/apps"
  /// Each moment at which a user presses down a button.
  case ownerButton = "owner/button"
  /// Entries of the log, in reply to a command.
  case ownerLog = "owner/log"
  /// The regions of all apps, in reply to a command.
  case ownerRegions = "owner/regions"
  /// The places (named circles), in reply to a command.
  case ownerPlaces = "owner/places"
  /// The sessions of the connected apps, in reply to a command.
  case ownerSessions = "owner/sessions"
  /// The satellites in view of the receiver, in reply to a command.
  case ownerSky = "owner/sky"
  /// The metrics of the gateway, in reply to a command.
  case ownerMetrics = "owner/metrics"

  /// Whether only an owner may subscribe to the topic.
  public var isOwners: Bool { rawValue.hasPrefix("owner/") }

  /// Whether a message of the topic reports a state. A newer message of such a topic then replaces the older messages.
  public var isState: Bool {
    switch self {
    case .indicator, .authorization, .receiver: true
    case .fixOnce, .fixUpdates, .buttonPress, .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerButton,
      .ownerLog,
      .ownerRegions, .ownerPlaces, .ownerSessions, .ownerSky, .ownerMetrics:
      false
    }
  }

  /// Returns the name of the topic for the events of a region, given by its id.
  public static func region(_ id: String) -> String { "region/\(id)" }
}

/// A topic name, or a pattern of topic names: `+` matches one level, and `#` matches all remaining levels. (MQTT 3.1.1
/// §4.7)
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
  /// The text of the filter, for example `region/+`.
  public let description: String

  /// Creates a filter of at most 8 levels and 128 bytes. No level may be empty, a wildcard must be alone in its level,
  /// and `#` must be the last level.
  /// - Throws: `LineError` with the code 404 if the filter breaks a rule.
  public init(_ text: some StringProtocol) throws(LineError) {
    description = String(text)
    var levels = Levels(description)
    var count = 0
    while let level = levels.next() {
      count += 1
      if level.isEmpty { throw LineError(.badTopic, "a topic filter must not have an empty level") }
      if level.elementsEqual("#".utf8), !levels.isAtEnd {
        throw LineError(.badTopic, "# must be the last level of a topic filter")
      }
      if level.count > 1, level.contains(UInt8(ascii: "+")) || level.contains(UInt8(ascii: "#")) {
        throw LineError(.badTopic, "+ or # must be the only character of its level")
      }
    }
    guard count <= 8, description.utf8.count <= 128 else {
      throw LineError(.badTopic, "a topic filter must have at most 8 levels and 128 bytes")
    }
  }

  /// Whether the filter matches a topic with this name.
  public func matches(_ topic: String) -> Bool {
    var (patterns, levels) = (Levels(description), Levels(topic))
    while let pattern = patterns.next() {
      if pattern.elementsEqual("#".utf8) { return true }
      guard let level = levels.next(), pattern.elementsEqual("+".utf8) || pattern.elementsEqual(level) else {
        return false
      }
    }
    return levels.isAtEnd
  }

  /// Whether the filter matches this topic.
  public func matches(_ topic: Topic) -> Bool { matches(topic.rawValue) }

  /// Whether the filter can match the topic of a region. The region need not exist.
  public var matchesSomeRegion: Bool {
    let id = description.split(separator: "/").dropFirst().first ?? "any"
    return matches(Topic.region(Words.isToken(id) ? String(id) : "any"))
  }
}

/// The levels of a topic name, from left to right. A topic name has at least one level, which may be empty.
private struct Levels {
  private let text: Substring.UTF8View
  /// The start of the next level in `text`; nil after the last level.
  private var position: Substring.UTF8View.Index?

  init(_ topic: String) {
    text = topic[...].utf8
    position = text.startIndex
  }

  var isAtEnd: Bool { position == nil }

  mutating func next() -> Substring.UTF8View? {
    guard let start = position else { return nil }
    let end = text[start...].firstIndex(of: UInt8(ascii: "/"))
    position = end.map { text.index(after: $0) }
    return text[start..<(end ?? text.endIndex)]
  }
}
