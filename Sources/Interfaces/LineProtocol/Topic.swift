/// The topics of the gateway's notifications.
public enum Topic: String, Hashable, Sendable, CaseIterable {
  /// The one fix that an app gets for a request `REQ once`.
  case fixOnce = "fix/once"
  /// The fixes after `START updates`.
  case fixUpdates = "fix/updates"
  /// The results of presses of the button.
  case buttonPress = "button/press"
  /// The state of the indicator.
  case indicator
  /// The authorization of the app.
  case authorization
  /// Whether the receiver is present.
  case receiver
  /// The app's own regions, as the app registered them.
  case regions
  /// Prompts for the user, and their answers.
  case ownerPrompt = "owner/prompt"
  /// Entries into regions and exits from regions, if the app of the region cannot receive these events.
  case ownerNotification = "owner/notification"
  /// The apps that got or lost the mark of the next press.
  case ownerApps = "owner/apps"
  /// The down edges of the buttons.
  case ownerButton = "owner/button"
  /// Entries of the log, with the reply to a command. This topic and the following ones get no message at other times.
  case ownerLog = "owner/log"
  /// The regions of all apps.
  case ownerRegions = "owner/regions"
  /// The places.
  case ownerPlaces = "owner/places"
  /// The connected sessions.
  case ownerSessions = "owner/sessions"
  /// The satellites that the receiver sees.
  case ownerSky = "owner/sky"
  /// The metrics.
  case ownerMetrics = "owner/metrics"

  /// Whether only an owner may subscribe to the topic.
  public var isOwners: Bool { rawValue.hasPrefix("owner/") }

  /// Whether the messages of the topic report a state, so that only the newest message matters.
  public var isState: Bool {
    switch self {
    case .indicator, .authorization, .receiver: true
    case .fixOnce, .fixUpdates, .buttonPress, .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerButton,
      .ownerLog,
      .ownerRegions, .ownerPlaces, .ownerSessions, .ownerSky, .ownerMetrics:
      false
    }
  }

  /// Returns the topic of a region of an app.
  public static func region(_ id: String) -> String { "region/\(id)" }
}

/// A topic, or a pattern of topics: `+` matches one level, and `#` matches all remaining levels. (MQTT 3.1.1 §4.7)
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
  /// The filter in its original text.
  public let description: String

  /// Creates a filter of at most 8 levels and 128 bytes. No level may be empty, a wildcard must be alone in its level,
  /// and `#` must be the last level. Other filters are rejected with the code 404.
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

  /// Whether the filter matches a topic.
  public func matches(_ topic: Topic) -> Bool { matches(topic.rawValue) }

  /// Whether the filter can match the topic of any region, existing or not.
  public var matchesSomeRegion: Bool {
    let id = description.split(separator: "/").dropFirst().first ?? "any"
    return matches(Topic.region(Words.isToken(id) ? String(id) : "any"))
  }
}

/// The levels of a topic, in their order. A topic has at least one level, which may be empty.
private struct Levels {
  private let text: Substring.UTF8View
  /// The start of the next level; nil after the last level.
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
