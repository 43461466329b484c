import LineProtocol
import Ports
import RecordingClients
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
    for number in 0..<16 { try subscriptions.add(TopicFilter("#"), sid: "\(number)", qos: 0) }
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

@Suite struct OwnerConnectionsTests {
  private let record = Record()
  private let first: RecordingConnection
  private let second: RecordingConnection

  init() {
    (first, second) = (record.connection(1, role: .owner), record.connection(2, role: .owner))
  }

  /// The connections of two owners; the first owner has subscribed to a filter.
  private func owners(_ filter: String? = nil) throws -> OwnerConnections {
    var owners = OwnerConnections()
    for owner in [second, first] { owners.open(owner) }
    if let filter { try owners.subscribe(first, TopicFilter(filter), sid: "s") }
    return owners
  }

  @Test func `a message goes to the owners that subscribed to its topic, until the subscription ends or they leave`()
    throws
  {
    var owners = try owners("owner/apps")
    try owners.subscribe(record.connection(3), TopicFilter("#"), sid: "no owner")
    func notified(_ topic: Topic = .ownerApps) -> [String] { record.lines { _ in owners.notify(topic, "{}") } }
    #expect(notified() == ["send 1 MSG owner/apps s {}"] && notified(.ownerLog) == [])
    try owners.subscribe(second, TopicFilter("#"), sid: "t")
    #expect(notified() == ["send 1 MSG owner/apps s {}", "send 2 MSG owner/apps t {}"])
    owners.close(first)
    try owners.unsubscribe(second, sid: "t", after: 1)
    #expect(notified() == ["send 2 MSG owner/apps t {}"] && notified() == [] && owners.count == 1)
    #expect(throws: LineError.self) { try owners.unsubscribe(second, sid: "t", after: nil) }
  }

  @Test func `a notification waits for the next owner who subscribes, and is sent once`() throws {
    var owners = try owners()
    #expect(record.lines { owners.notifyOrKeep("1", &$0) } == [])
    #expect(record.lines { owners.notifyOrKeep("2", &$0) } == [])
    try owners.subscribe(first, TopicFilter("owner/notification"), sid: "s")
    #expect(
      record.lines { _ in owners.sendKept(to: first, sid: "s") }
        == ["send 1 MSG owner/notification s ret=1 1", "send 1 MSG owner/notification s ret=1 2"])
    #expect(record.lines { _ in owners.sendKept(to: first, sid: "s") } == [])
    #expect(record.lines { owners.notifyOrKeep("3", &$0) } == ["send 1 MSG owner/notification s 3"])
    #expect(record.lines { _ in owners.sendKept(to: first, sid: "s") } == [])
  }

  @Test func `the newest twenty notifications are kept, and each that is dropped is counted`() throws {
    var owners = try owners()
    for number in 1...20 {
      #expect(record.lines { owners.notifyOrKeep("\(number)", &$0) } == [])
    }
    #expect(record.lines { owners.notifyOrKeep("last", &$0) } == ["count droppedNotifications"])
    let kept = record.lines { _ in owners.sendKept(to: first, sid: "s") }
    #expect(kept.count == 20 && kept.first?.hasSuffix(" 2") == true && kept.last?.hasSuffix(" last") == true)
  }

  @Test func `owners are notified of a prompt again when a press or a hold answers it differently`() throws {
    var owners = try owners("owner/prompt")
    #expect(owners.showsPrompts)
    // A prompt that opens is shown by the prompt itself.
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}")]) } == [])
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}"), 2: ([], "{2}")]) } == [])
    #expect(
      record.lines { _ in owners.show([1: (["no"], "{1}"), 2: (["yes"], "{2}")]) }
        == ["send 1 MSG owner/prompt s {1}", "send 1 MSG owner/prompt s {2}"])
    #expect(record.lines { _ in owners.show([:]) } == [])
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}")]) } == [])
    owners.close(first)
    #expect(!owners.showsPrompts)
  }

  @Test func `an app that gets or loses the mark of a button is found once`() {
    var owners = OwnerConnections()
    #expect(owners.noteMarks([a: ["main"], b: ["aft"]], revision: 1) == [a, b] && owners.marksRevision == 1)
    #expect(owners.noteMarks([a: ["main"], b: ["aft"]], revision: 2) == [])
    #expect(owners.noteMarks([a: ["main", "aft"]], revision: 3) == [a, b])
  }
}
