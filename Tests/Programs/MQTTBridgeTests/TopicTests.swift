import LineProtocol
import Testing

@testable import Features

@Suite struct TopicTests {
  private let topics = BridgeTopics(gateway: "boat-7", app: "ferry")

  @Test func `an app's topics stand under the gateway's`() {
    let names = [topics.base, topics.fix, topics.status]
    #expect(names == ["onefix/boat-7/ferry", "onefix/boat-7/ferry/fix", "onefix/boat-7/status"])
    #expect(topics.filters.map(\.wanted) == ["onefix/boat-7/+/request", "onefix/boat-7/+/cancel"])
    #expect(topics.filters.map(\.instead) == ["onefix/boat-7/ferry/request", "onefix/boat-7/ferry/cancel"])
  }

  @Test(arguments: [
    ("onefix/boat-7/ferry/request", BridgeTopics.Inquiry.request), ("onefix/boat-7/ferry/cancel", .cancel),
    ("onefix/boat-7/tug/request", .foreign("tug")), ("onefix/boat-7//cancel", .foreign("")),
    ("onefix/boat-7/ferry/fix", nil), ("onefix/boat-8/ferry/request", nil), ("onefix/boat-7/ferry/request/x", nil),
    ("onefix/boat-7/request", nil), ("/onefix/boat-7/ferry/request", nil), ("", nil),
  ])
  func `a topic asks for its own app alone`(topic: String, inquiry: BridgeTopics.Inquiry?) {
    #expect(topics.inquiry(topic) == inquiry)
  }

  private static func message(_ topic: Topic) -> ServerLine {
    .message(.init(topic: topic.rawValue, sid: "s", json: #"{"state":"off"}"#))
  }

  @Test(arguments: [
    (Topic.buttonPress, "press", false), (.indicator, "indicator", true), (.authorization, "authorization", true),
    (.receiver, "receiver", true),
  ])
  func `states are retained, and events are not`(topic: Topic, name: String, isRetained: Bool) {
    #expect(
      topics.announcement(of: Self.message(topic))
        == Announcement("onefix/boat-7/ferry/\(name)", #"{"state":"off"}"#, isRetained: isRetained))
  }

  /// The outbox publishes fixes, and notifications of owners are not published.
  @Test func `no other line is published`() {
    let published: Set<Topic> = [.buttonPress, .indicator, .authorization, .receiver]
    for topic in Topic.allCases where !published.contains(topic) {
      #expect(topics.announcement(of: Self.message(topic)) == nil)
    }
    for line in [ServerLine.ok(tag: "@a", ["state": "acquiring"]), .info([:]), .ping, .pong(tag: nil)] {
      #expect(topics.announcement(of: line) == nil)
    }
  }

  @Test(
    arguments: [
      (
        "@a-1", ["retry-after": "600"],
        #"{"code":430,"slug":"rate-limited","text":"say \"when\"","retry_after":600,"id":"a-1"}"#
      ),
      (nil, [:], #"{"code":430,"slug":"rate-limited","text":"say \"when\""}"#),
    ] as [(String?, ServerLine.Fields, String)])
  func `an error is an object with its code, its name, its text and the request's id`(
    tag: String?, fields: ServerLine.Fields, json: String
  ) {
    let line = ServerLine.error(LineError(.rateLimited, "say \"when\""), tag: tag, fields)
    #expect(topics.announcement(of: line) == Announcement("onefix/boat-7/ferry/error", json))
  }
}
