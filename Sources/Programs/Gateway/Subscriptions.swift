import LineProtocol

struct Subscriptions {
  /// The maximum count of subscriptions of one client.
  static let most = 16

  /// The only identifier, `-`, for messages of a client without a matching subscription.
  private static let none = ["-"]

  private struct Subscription {
    let filter: TopicFilter
    let topics: [Topic]
    let sid: String
    /// The quality of service: 1 if the client acknowledges each message, 0 if not.
    let qos: Int
    /// The count of messages until the subscription ends; nil for a subscription without an end.
    var remaining: Int?

    init(_ filter: TopicFilter, sid: String, qos: Int) {
      self.filter = filter
      topics = Topic.allCases.filter { filter.matches($0) }
      self.sid = sid
      self.qos = qos
    }
  }

  private var list: [Subscription] = [] {
    didSet {
      updateSIDs = list.filter { $0.topics.contains(.fixUpdates) }.map(\.sid)
      if updateSIDs.isEmpty { updateSIDs = Self.none }
      isLimited = list.contains { $0.remaining != nil }
    }
  }
  /// The identifiers of the subscriptions to updates (repeated fixes); only `-` if there is no such subscription.
  private(set) var updateSIDs = Self.none
  /// Whether at least one subscription ends after a fixed count of messages.
  private(set) var isLimited = false

  /// Adds a subscription, in place of a subscription with the same identifier.
  /// - Throws: The error for the client, if the client already has the maximum count of subscriptions.
  mutating func add(_ filter: TopicFilter, sid: String, qos: Int) throws(LineError) {
    list.removeAll { $0.sid == sid }
    guard list.count < Self.most else {
      throw LineError(.tooMany, "a session can have at most \(Self.most) subscriptions (end one with UNSUB)")
    }
    list.append(Subscription(filter, sid: sid, qos: qos))
  }

  /// Ends a subscription.
  /// - Parameters:
  ///   - sid: The identifier of the subscription.
  ///   - after: The count of messages after which the subscription ends; nil to end the subscription now.
  /// - Throws: The error for the client, if there is no such subscription.
  mutating func remove(sid: String, after: Int?) throws(LineError) {
    guard let index = list.firstIndex(where: { $0.sid == sid }) else {
      throw LineError(.badArgument, "no subscription \(sid)")
    }
    if let after { list[index].remaining = after } else { list.remove(at: index) }
  }

  func contains(_ topic: Topic) -> Bool { list.contains { $0.topics.contains(topic) } }

  /// Counts one message for each subscription to the topic, and removes each subscription that has received its last
  /// message.
  /// - Returns: The identifiers of the subscriptions to the topic.
  mutating func consume(_ topic: Topic) -> [String] { consume { $0.topics.contains(topic) } }

  /// Counts one message for each subscription to updates (repeated fixes).
  mutating func consumeUpdate() {
    if isLimited { _ = consume { $0.topics.contains(.fixUpdates) } }
  }

  /// Returns the identifiers of the subscriptions to the events of a region.
  func sids(region id: String) -> [String] { list.filter { $0.filter.matches(Topic.region(id)) }.map(\.sid) }

  /// Counts one message for each subscription to the events of this region.
  mutating func consume(region id: String) { _ = consume { $0.filter.matches(Topic.region(id)) } }

  /// The identifier and the quality of service of the first subscription to one-time fixes. Without such a
  /// subscription, the identifier is `-`, and the client must acknowledge the fix.
  var forFix: (sid: String, qos: Int) {
    list.first { $0.topics.contains(.fixOnce) }.map { ($0.sid, $0.qos) } ?? ("-", 1)
  }

  /// Counts one message for the first subscription to one-time fixes.
  mutating func consumeFix() {
    guard let index = list.firstIndex(where: { $0.topics.contains(.fixOnce) }) else { return }
    list[index].remaining? -= 1
    if list[index].remaining == 0 { list.remove(at: index) }
  }

  /// Counts one message for each subscription that meets the condition, and removes each subscription that has received
  /// its last message.
  /// - Returns: The identifiers of the subscriptions that meet the condition.
  private mutating func consume(where isMeant: (Subscription) -> Bool) -> [String] {
    let sids = list.filter(isMeant).map(\.sid)
    guard isLimited else { return sids }
    for index in list.indices where isMeant(list[index]) { list[index].remaining? -= 1 }
    list.removeAll { $0.remaining == 0 }
    return sids
  }
}
