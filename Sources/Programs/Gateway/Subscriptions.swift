import LineProtocol
import Ports

/// The subscriptions of one client to topics.
struct Subscriptions {
  /// The maximum number of subscriptions of a client.
  static let most = 16

  /// The subscription ids of a message to a client without a subscription for the message.
  private static let none = ["-"]

  private struct Subscription {
    let filter: TopicFilter
    let topics: [Topic]
    let sid: String
    /// The quality of service: 1 if the client acknowledges messages, otherwise 0.
    let qos: Int
    /// The number of messages until the subscription ends; nil without a limit.
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
  /// The subscription ids for fixes of updates. A client without such a subscription receives the fixes with the id
  /// `-`.
  private(set) var updateSIDs = Self.none
  /// Whether a subscription ends after a number of messages.
  private(set) var isLimited = false

  /// Adds a subscription. It replaces a subscription with the same id.
  /// - Throws: The error for the client, if it has the maximum number of subscriptions.
  mutating func add(_ filter: TopicFilter, sid: String, qos: Int) throws(LineError) {
    list.removeAll { $0.sid == sid }
    guard list.count < Self.most else {
      throw LineError(.tooMany, "a session can have at most \(Self.most) subscriptions (end one with UNSUB)")
    }
    list.append(Subscription(filter, sid: sid, qos: qos))
  }

  /// Ends a subscription, immediately or after a number of messages.
  /// - Throws: The error for the client, if it has no such subscription.
  mutating func remove(sid: String, after: Int?) throws(LineError) {
    guard let index = list.firstIndex(where: { $0.sid == sid }) else {
      throw LineError(.badArgument, "no subscription \(sid)")
    }
    if let after { list[index].remaining = after } else { list.remove(at: index) }
  }

  func contains(_ topic: Topic) -> Bool { list.contains { $0.topics.contains(topic) } }

  /// Counts a message for each subscription to the topic. A subscription ends at its maximum number of messages.
  /// - Returns: The ids of the subscriptions for the message.
  mutating func consume(_ topic: Topic) -> [String] { consume { $0.topics.contains(topic) } }

  /// Counts a fix of updates for each subscription to such fixes.
  mutating func consumeUpdate() {
    if isLimited { _ = consume { $0.topics.contains(.fixUpdates) } }
  }

  /// Returns the ids of the subscriptions to the events of a region.
  func sids(region id: String) -> [String] { list.filter { $0.filter.matches(Topic.region(id)) }.map(\.sid) }

  /// Counts an event of a region for each subscription to its events.
  mutating func consume(region id: String) { _ = consume { $0.filter.matches(Topic.region(id)) } }

  /// The subscription for one-time fixes. Without a subscription, the id is `-`, and the client must acknowledge the
  /// fix.
  var forFix: (sid: String, qos: Int) {
    list.first { $0.topics.contains(.fixOnce) }.map { ($0.sid, $0.qos) } ?? ("-", 1)
  }

  /// Counts a one-time fix for the first subscription to such fixes.
  mutating func consumeFix() {
    guard let index = list.firstIndex(where: { $0.topics.contains(.fixOnce) }) else { return }
    list[index].remaining? -= 1
    if list[index].remaining == 0 { list.remove(at: index) }
  }

  /// Counts a message for the subscriptions that are meant.
  /// - Returns: The ids of these subscriptions.
  private mutating func consume(where isMeant: (Subscription) -> Bool) -> [String] {
    let sids = list.filter(isMeant).map(\.sid)
    guard isLimited else { return sids }
    for index in list.indices where isMeant(list[index]) { list[index].remaining? -= 1 }
    list.removeAll { $0.remaining == 0 }
    return sids
  }
}
