import Clocks
import LineProtocol
import Ports

/// What a client wants to hear of.
struct Subscriptions {
  static let most = 16

  /// Without a subscription.
  private static let none = ["-"]

  private struct Subscription {
    let filter: TopicFilter
    /// Those of the known topics that the filter matches.
    let topics: [Topic]
    let hearsUpdates: Bool
    let sid: String
    /// 0 where the client does not want to acknowledge.
    let qos: Int
    /// Messages until it ends; nil is for ever.
    var remaining: Int?

    init(_ filter: TopicFilter, sid: String, qos: Int) {
      self.filter = filter
      topics = Topic.allCases.filter { filter.matches($0) }
      hearsUpdates = topics.contains(.fixUpdates)
      self.sid = sid
      self.qos = qos
    }
  }

  private var list: [Subscription] = [] {
    didSet {
      updateSIDs = list.filter(\.hearsUpdates).map(\.sid)
      if updateSIDs.isEmpty { updateSIDs = Self.none }
      isAnyCounted = list.contains { $0.remaining != nil }
    }
  }
  /// Under which fixes of updates are sent: they were asked for by a command, and come also where there is no subscription.
  private var updateSIDs = Self.none
  private var isAnyCounted = false

  /// Adds a subscription; one of the same id is replaced.
  mutating func add(_ filter: TopicFilter, sid: String, qos: Int) throws(LineError) {
    list.removeAll { $0.sid == sid }
    guard list.count < Self.most else {
      throw LineError(.tooMany, "at most \(Self.most) subscriptions; UNSUB one first")
    }
    list.append(Subscription(filter, sid: sid, qos: qos))
  }

  /// Ends a subscription, at once or after so many more messages.
  mutating func remove(sid: String, after: Int?) throws(LineError) {
    guard let index = list.firstIndex(where: { $0.sid == sid }) else {
      throw LineError(.badArgument, "there is no subscription \(sid)")
    }
    if let after { list[index].remaining = after } else { list.remove(at: index) }
  }

  func contains(_ topic: Topic) -> Bool { list.contains { $0.topics.contains(topic) } }

  func contains(region id: String) -> Bool { list.contains { $0.filter.matches(Topic.region(id)) } }

  /// Sends news on a topic, once for each subscription that matches.
  mutating func tell(_ topic: Topic, _ json: String, on connection: any ClientConnection) {
    tell({ $0.topics.contains(topic) }) { sid in
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
    }
  }

  /// Sends a region's event, while the light tells of it.
  mutating func tell(region id: String, _ json: String, until: MonotonicInstant, on connection: any ClientConnection) {
    let topic = Topic.region(id)
    tell({ $0.filter.matches(topic) }) { sid in
      connection.send(once: .init(topic: topic, sid: sid, json: json), until: until)
    }
  }

  /// A fix of updates is sent, once for each subscription that matches.
  mutating func takeUpdate(_ send: (_ sid: String) -> Void) {
    for sid in updateSIDs { send(sid) }
    if isAnyCounted { tell({ $0.hearsUpdates }) { _ in } }
  }

  private mutating func tell(_ isMeant: (Subscription) -> Bool, _ send: (_ sid: String) -> Void) {
    var isAnyUsedUp = false
    for index in list.indices where isMeant(list[index]) {
      send(list[index].sid)
      guard let remaining = list[index].remaining else { continue }
      list[index].remaining = remaining - 1
      if remaining == 1 { isAnyUsedUp = true }
    }
    if isAnyUsedUp { list.removeAll { $0.remaining == 0 } }
  }

  /// The subscription under which a one-time fix is delivered; without one it is `-`, to be acknowledged.
  mutating func takeOneForFix() -> (sid: String, qos: Int) {
    guard let index = list.firstIndex(where: { $0.topics.contains(.fixOnce) }) else { return ("-", 1) }
    let subscription = list[index]
    list[index].remaining? -= 1
    if list[index].remaining == 0 { list.remove(at: index) }
    return (subscription.sid, subscription.qos)
  }
}
