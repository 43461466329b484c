import LineProtocol
import LineServer

/// What a client wants to hear of.
struct Subscriptions {
  static let most = 16

  private struct Subscription {
    let filter: TopicFilter
    let sid: String
    /// 0 where the client does not want to acknowledge.
    let qos: Int
    /// Messages until it ends; nil is for ever.
    var remaining: Int?
  }

  private var list: [Subscription] = []

  /// Adds a subscription; one of the same id is replaced.
  mutating func add(_ filter: TopicFilter, sid: String, qos: Int) throws(LineError) {
    list.removeAll { $0.sid == sid }
    guard list.count < Self.most else {
      throw LineError(.tooMany, "at most \(Self.most) subscriptions; UNSUB one first")
    }
    list.append(Subscription(filter: filter, sid: sid, qos: qos))
  }

  /// Ends a subscription, at once or after so many more messages.
  mutating func remove(sid: String, after: Int?) throws(LineError) {
    guard let index = list.firstIndex(where: { $0.sid == sid }) else {
      throw LineError(.badArgument, "there is no subscription \(sid)")
    }
    if let after { list[index].remaining = after } else { list.remove(at: index) }
  }

  func contains(_ topic: String) -> Bool { list.contains { $0.filter.matches(topic) } }

  /// Sends news on a topic, once for each subscription that matches.
  mutating func tell(_ topic: Topic, _ json: String, on connection: Connection) {
    tell(topic.rawValue, json, on: connection)
  }

  mutating func tell(_ topic: String, _ json: String, on connection: Connection) {
    var isAnyUsedUp = false
    for index in list.indices where list[index].filter.matches(topic) {
      connection.send(.message(.init(topic: topic, sid: list[index].sid, json: json)))
      list[index].remaining? -= 1
      if list[index].remaining == 0 { isAnyUsedUp = true }
    }
    if isAnyUsedUp { list.removeAll { $0.remaining == 0 } }
  }

  /// Sends news that the client asked for by a command: also where it has no subscription to the topic.
  mutating func tell(_ topic: Topic, _ json: String, orWithout sid: String, on connection: Connection) {
    if list.contains(where: { $0.filter.matches(topic) }) {
      tell(topic, json, on: connection)
    } else {
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
    }
  }

  /// The subscription under which a one-time fix is delivered; without one it is `-`, to be acknowledged.
  mutating func takeOneForFix() -> (sid: String, qos: Int) {
    guard let index = list.firstIndex(where: { $0.filter.matches(.fixOnce) }) else { return ("-", 1) }
    let subscription = list[index]
    list[index].remaining? -= 1
    if list[index].remaining == 0 { list.remove(at: index) }
    return (subscription.sid, subscription.qos)
  }
}
