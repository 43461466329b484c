import LineProtocol
import Testing

@testable import Gateway

@Suite struct SubscriptionsTests {
  private func subscriptions(_ filters: (String, String)...) throws -> Subscriptions {
    var subscriptions = Subscriptions()
    for (filter, sid) in filters { try subscriptions.add(TopicFilter(filter), sid: sid, qos: 1) }
    return subscriptions
  }

  @Test(arguments: [
    ("fix/once", [Topic.fixOnce]), ("fix/+", [.fixOnce, .fixUpdates]), ("#", Topic.allCases), ("region/home", []),
  ])
  func `a message goes to the subscriptions whose filter matches its topic`(filter: String, topics: [Topic]) throws {
    var subscriptions = try subscriptions((filter, "s"))
    for topic in Topic.allCases {
      #expect(subscriptions.contains(topic) == topics.contains(topic))
      let sids = subscriptions.consume(topic)
      #expect(sids == (topics.contains(topic) ? ["s"] : []))
    }
  }

  @Test func `a subscription of the same id replaces the former one`() throws {
    let subscriptions = try subscriptions(("receiver", "s"), ("indicator", "s"))
    #expect(!subscriptions.contains(.receiver) && subscriptions.contains(.indicator))
  }

  @Test func `a client has at most sixteen subscriptions`() throws {
    var subscriptions = Subscriptions()
    for number in 0..<Subscriptions.most { try subscriptions.add(TopicFilter("#"), sid: "\(number)", qos: 0) }
    let error = #expect(throws: LineError.self) { try subscriptions.add(TopicFilter("#"), sid: "more", qos: 0) }
    #expect(error?.code == .tooMany)
    try subscriptions.add(TopicFilter("receiver"), sid: "0", qos: 0)
    try subscriptions.remove(sid: "0", after: nil)
    try subscriptions.add(TopicFilter("#"), sid: "more", qos: 0)
  }

  @Test func `a subscription that is limited ends after so many messages, whatever their topic`() throws {
    var subscriptions = try subscriptions(("#", "s"), ("receiver", "t"))
    try subscriptions.remove(sid: "s", after: 2)
    #expect(subscriptions.isLimited)
    let sids = [Topic.receiver, .indicator, .receiver].map { subscriptions.consume($0) }
    #expect(sids == [["s", "t"], ["s"], ["t"]])
    #expect(!subscriptions.isLimited)
    let error = #expect(throws: LineError.self) { try subscriptions.remove(sid: "s", after: nil) }
    #expect(error?.code == .badArgument)
  }

  @Test func `updates are sent under the matching subscriptions, and without one, too`() throws {
    var subscriptions = try subscriptions()
    #expect(subscriptions.updateSIDs == ["-"])
    try subscriptions.add(TopicFilter("fix/updates"), sid: "s", qos: 0)
    try subscriptions.add(TopicFilter("fix/#"), sid: "t", qos: 0)
    try subscriptions.remove(sid: "s", after: 1)
    #expect(subscriptions.updateSIDs == ["s", "t"])
    subscriptions.consumeUpdate()
    #expect(subscriptions.updateSIDs == ["t"])
    try subscriptions.remove(sid: "t", after: nil)
    #expect(subscriptions.updateSIDs == ["-"])
  }

  @Test func `a one-time fix is sent under the first subscription, and without one it is acknowledged`() throws {
    var subscriptions = try subscriptions()
    #expect(subscriptions.forFix == ("-", 1))
    try subscriptions.add(TopicFilter("fix/once"), sid: "s", qos: 0)
    try subscriptions.add(TopicFilter("fix/once"), sid: "t", qos: 1)
    try subscriptions.remove(sid: "s", after: 1)
    #expect(subscriptions.forFix == ("s", 0))
    subscriptions.consumeFix()
    #expect(subscriptions.forFix == ("t", 1))
    subscriptions.consumeFix()
    #expect(subscriptions.forFix == ("t", 1))
  }

  @Test func `a region's events go to the subscriptions of its topic`() throws {
    var subscriptions = try subscriptions(("region/home", "s"), ("region/+", "t"), ("fix/once", "u"))
    #expect(subscriptions.sids(region: "home") == ["s", "t"] && subscriptions.sids(region: "work") == ["t"])
    try subscriptions.remove(sid: "t", after: 1)
    subscriptions.consume(region: "work")
    #expect(subscriptions.sids(region: "home") == ["s"] && subscriptions.sids(region: "work") == [])
  }
}
