/// A topic to which a client can subscribe. Each message of the gateway has a topic, as in MQTT.
public enum Topic: String, Hashable, Sendable, CaseIterable {
  /// The fix for the request `REQ once` of an app.
  case fixOnce = "fix/once"
  /// The fixes after the command `START updates` (repeated fixes) of an app.
  case fixUpdates = "fix/updates"
  /// A message about each press of the button: whether the press permitted a fix.
  case buttonPress = "button/press"
  /// The state that the indicator (LED) shows.
  case indicator
  /// The authorization of the app and its accuracy.
  case authorization
  /// Whether the GNSS receiver is connected.
  case receiver
  /// The regions of the app (circles on the ground), in reply to a command of the app.
  case regions
  /// Prompts (questions to the user), and their answers.
  case ownerPrompt = "owner/prompt"
  /// Notifications for the user: the device entered or left a region (a circle on the ground) whose app may not receive
  /// the event, or a temporary authorization has ended.
  case ownerNotification = "owner/notification"
  /// The apps for which the effect of the next press of a button has changed: the press now gives a fix to the app, or
  /// no fix.
  case ownerApps = "owner/apps"
  /// A message at the beginning of each press of a button by a user.
  case ownerButton = "owner/button"
  /// Entries of the log of all fixes that apps received, in reply to a command of an owner (administrator).
  case ownerLog = "owner/log"
  /// The regions of all apps (circles on the ground), in reply to a command of an owner (administrator).
  case ownerRegions = "owner/regions"
  /// The places (named circles on the ground), in reply to a command of an owner (administrator).
  case ownerPlaces = "owner/places"
  /// The sessions of the connected apps, in reply to a command of an owner (administrator).
  case ownerSessions = "owner/sessions"
  /// The satellites in view of the receiver, in reply to a command of an owner (administrator).
  case ownerSky = "owner/sky"
  /// The metrics of the gateway, in reply to a command of an owner (administrator).
  case ownerMetrics = "owner/metrics"

  /// Whether only an owner (an administrator of the gateway) may subscribe to the topic.
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

  /// Returns the name of the topic for the events of the region (a circle on the ground) with this id.
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

  /// Whether the filter matches the name of this topic.
  public func matches(_ topic: Topic) -> Bool { matches(topic.rawValue) }

  /// Whether the filter can match the topic of any region (a circle on the ground), even of a region that does not
  /// exist.
  public var matchesSomeRegion: Bool {
    let id = description.split(separator: "/").dropFirst().first ?? "any"
    return matches(Topic.region(Words.isToken(id) ? String(id) : "any"))
  }
}

/// The levels of a topic name, from left to right. A topic name has at least one level, which may be empty.
private struct Levels {
  private let text: Substring.UTF8View
  /// The index in `text` at which the next level starts; nil after the last level.
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
