/// The topics that the gateway speaks on.
public enum Topic: String, Hashable, Sendable, CaseIterable {
  case fixOnce = "fix/once"
  case fixUpdates = "fix/updates"
  case buttonPress = "button/press"
  case indicator
  case authorization
  case receiver
  /// An app's own regions, as it registered them.
  case regions
  case ownerPrompt = "owner/prompt"
  case ownerNotification = "owner/notification"
  case ownerApps = "owner/apps"
  case ownerLog = "owner/log"
  case ownerRegions = "owner/regions"

  /// Whether only an owner may hear it.
  public var isOwners: Bool { rawValue.hasPrefix("owner/") }

  /// The topic of an app's region.
  public static func region(_ id: String) -> String { "region/\(id)" }
}

/// A topic, or a pattern of topics, as MQTT writes them: `+` is one level, `#` the rest. (MQTT 3.1.1 §4.7)
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// - Throws: `LineError` 404 where a level is empty, or a wildcard is not a level of its own or not in its place.
  public init(_ text: some StringProtocol) throws(LineError) {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count <= 8, text.utf8.count <= 128 else {
      throw LineError(.badTopic, "a topic filter has at most 8 levels and 128 bytes")
    }
    for (index, level) in levels.enumerated() {
      if level.isEmpty { throw LineError(.badTopic, "a topic filter has an empty level") }
      if level == "#" && index != levels.count - 1 {
        throw LineError(.badTopic, "# is only the last level of a filter")
      }
      if level.utf8.count > 1 && level.contains(where: { $0 == "+" || $0 == "#" }) {
        throw LineError(.badTopic, "+ and # stand alone in their level")
      }
    }
    description = String(text)
  }

  public func matches(_ topic: String) -> Bool {
    var levels = topic.split(separator: "/", omittingEmptySubsequences: false)[...]
    for pattern in description.split(separator: "/", omittingEmptySubsequences: false) {
      if pattern == "#" { return true }
      guard let level = levels.popFirst(), pattern == "+" || pattern == level else { return false }
    }
    return levels.isEmpty
  }

  public func matches(_ topic: Topic) -> Bool { matches(topic.rawValue) }

  /// Whether there can be a region whose topic matches.
  public var matchesSomeRegion: Bool {
    let id = description.split(separator: "/").dropFirst().first ?? "any"
    return matches(Topic.region(Words.isToken(id, longest: 32) ? String(id) : "any"))
  }
}
