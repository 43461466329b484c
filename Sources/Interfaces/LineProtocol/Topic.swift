/// The topics that the gateway speaks on.
public enum Topic: String, Hashable, Sendable, CaseIterable {
  /// The one fix of a press.
  case fixOnce = "fix/once"
  /// Fixes until they are stopped.
  case fixUpdates = "fix/updates"
  /// That somebody pressed.
  case buttonPress = "button/press"
  /// The light.
  case indicator
  /// What the app may know.
  case authorization
  /// Whether the receiver is there.
  case receiver
  /// An app's own regions, as it registered them.
  case regions
  /// A question to the person, and its answer.
  case ownerPrompt = "owner/prompt"
  /// What a region tells the owner in an app's place.
  case ownerNotification = "owner/notification"
  /// What became of an app's rights.
  case ownerApps = "owner/apps"
  /// Entries of the log as they are written.
  case ownerLog = "owner/log"
  /// Changes of regions.
  case ownerRegions = "owner/regions"
  /// Who is connected, as owners list them.
  case ownerSessions = "owner/sessions"
  /// The satellites that the receiver sees.
  case ownerSky = "owner/sky"
  /// How it goes, in numbers.
  case ownerMetrics = "owner/metrics"

  /// Whether only an owner may hear it.
  public var isOwners: Bool { rawValue.hasPrefix("owner/") }

  /// Whether it tells a state, of which only the newest counts.
  public var isState: Bool {
    switch self {
    case .indicator, .authorization, .receiver: true
    case .fixOnce, .fixUpdates, .buttonPress, .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerLog,
      .ownerRegions, .ownerSessions, .ownerSky, .ownerMetrics:
      false
    }
  }

  /// The topic of an app's region.
  public static func region(_ id: String) -> String { "region/\(id)" }
}

/// A topic, or a pattern of topics, as MQTT writes them: `+` is one level, `#` the rest. (MQTT 3.1.1 §4.7)
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  public let description: String

  /// - Throws: `LineError` 404 where a level is empty, or a wildcard is not a level of its own or not in its place.
  public init(_ text: some StringProtocol) throws(LineError) {
    description = String(text)
    var levels = Levels(description)
    var count = 0
    while let level = levels.next() {
      count += 1
      if level.isEmpty { throw LineError(.badTopic, "a topic filter has an empty level") }
      if level.elementsEqual("#".utf8), !levels.isAtEnd {
        throw LineError(.badTopic, "# is only the last level of a filter")
      }
      if level.count > 1, level.contains(UInt8(ascii: "+")) || level.contains(UInt8(ascii: "#")) {
        throw LineError(.badTopic, "+ and # stand alone in their level")
      }
    }
    guard count <= 8, description.utf8.count <= 128 else {
      throw LineError(.badTopic, "a topic filter has at most 8 levels and 128 bytes")
    }
  }

  /// Whether a topic, by its name, is one of those meant.
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

  /// Whether a topic is one of those meant.
  public func matches(_ topic: Topic) -> Bool { matches(topic.rawValue) }

  /// Whether there can be a region whose topic matches.
  public var matchesSomeRegion: Bool {
    let id = description.split(separator: "/").dropFirst().first ?? "any"
    return matches(Topic.region(Words.isToken(id) ? String(id) : "any"))
  }
}

/// The levels of a topic, one after another. There is always one, which may be empty.
private struct Levels {
  private let text: Substring.UTF8View
  /// Nil once the last level was read.
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
