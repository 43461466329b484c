import Foundation
import RecordingClients
import Requirements
import Testing

/// Fixes that were granted to an app behind a broker, while the broker, the daemon or the right changes.
@Suite(.needsMosquitto)
struct MQTTOutboxTests {
  /// Stops the broker of an armed request, and presses until the fix waits for the broker.
  private func grant(_ daemon: Daemon, without broker: Mosquitto) async throws {
    try await broker.stop()
    try await daemon.broker("state", "disconnected")
    try await daemon.press(until: ["served", "granted"])
    try await daemon.waits("1")
  }

  /// Runs a test's body with an app whose messages the broker keeps, and with a fix that waits for the stopped broker.
  /// The indicator is off.
  private func withoutBroker(_ body: (Daemon, Mosquitto, Subscriber) async throws -> Void) async throws {
    try await Daemon.behind(subscriber: "app") { daemon, broker, app in
      try await broker.request("{\"id\":\"x\"}", of: daemon)
      try await grant(daemon, without: broker)
      try await daemon.status("indicator", is: "off")
      try await body(daemon, broker, app)
    }
  }

  private func ids(_ app: Subscriber) throws -> [String?] {
    try app.messages("onefix/boat/peer/fix").map { try Fix($0.payload)["id"] }
  }

  @Test func `a fix that was granted during an outage of the broker is sent later, with its id, and the log says late`()
    async throws
  {
    try await withoutBroker { daemon, broker, app in
      #expect(try await daemon.mqttLog() == ["open"])
      try await broker.start()
      _ = try await app.first("onefix/boat/peer/fix")
      try await daemon.broker("waiting", "0")
      try await app.settle()
      #expect(try ids(app) == ["x"])
      #expect(try await daemon.mqttLog() == ["postponed", "late acknowledged"])
      #expect(try await daemon.log().contains { $0.contains(#""transport":"mqtt""#) && $0.contains(#""late":true"#) })
      let owner = try await Peer.owner(daemon)
      #expect(try await owner.reply(to: "VERIFY").contains(" state=good "))
    }
  }

  @Test func `a late fix lights the indicator`() async throws {
    try await withoutBroker { daemon, broker, app in
      let owner = try await Peer.owner(daemon, "SUB indicator i")
      try await broker.start()
      _ = try await owner.next("MSG indicator i {\"state\":\"in-use\"}")
      _ = try await app.first("onefix/boat/peer/fix")
    }
  }

  @Test(arguments: ["3.1.1", "5"])
  func `a pending fix is sent after the daemon is killed and restarted, with one id`(version: String) async throws {
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker, name: "app")
    let settings = broker.settings("version = \"\(version)\"")
    let daemon = try await Daemon.start(configuration: settings)
    try await daemon.authorize("peer")
    try await daemon.broker("state", "connected")
    try await broker.request(of: daemon)
    try await grant(daemon, without: broker)
    try await daemon.process.disconnect()
    // The daemon is killed two more times before the broker is available.
    for _ in 0..<2 {
      let between = try await Daemon.start(in: daemon.folder, configuration: settings)
      try await between.broker("waiting", "1")
      try await between.process.disconnect()
    }
    try await broker.start()
    let again = try await Daemon.start(in: daemon.folder, configuration: settings)
    _ = try await app.first("onefix/boat/peer/fix")
    try await again.broker("waiting", "0")
    try await app.settle()
    // The gateway chooses the id if the request has none.
    #expect(try ids(app).map { $0?.utf8.count } == [32])
    #expect(try await again.mqttLog() == ["postponed", "late acknowledged"])
    #expect(try await again.stop().end == .exit(0))
  }

  /// Runs a test's body after a fix was granted during a restart of the broker, with a subscriber that reconnects
  /// after the gateway.
  private func withoutSubscriber(
    _ settings: String, _ body: (Daemon, Mosquitto) async throws -> Void
  ) async throws {
    let broker = try await Mosquitto()
    try await Daemon.behind(broker, broker.settings(settings)) { daemon in
      try await broker.request("{\"id\":\"x\"}", of: daemon)
      try await broker.stop()
      try await daemon.broker("state", "disconnected")
      try await broker.start()
      try await daemon.broker("state", "connected")
      try await daemon.press(until: ["served", "granted"])
      try await body(daemon, broker)
    }
  }

  @Test(arguments: [
    ("home_assistant = true\nversion = \"3.1.1\"", "homeassistant/status"),
    ("home_assistant = true\nversion = \"5\"", "homeassistant/status"),
    ("subscriber_topic = \"app/status\"", "app/status"),
  ])
  func `after a reconnection a fix waits until its subscriber shows that it is connected`(
    settings: String, topic: String
  ) async throws {
    try await withoutSubscriber("subscriber_timeout_s = 3600\n\(settings)") { daemon, broker in
      #expect(try await daemon.status()["mqtt-1-subscriber"] == "awaited")
      try await daemon.waits("1")
      let app = try await Subscriber(broker)
      try await broker.publish(topic, "offline")
      try await app.settle()
      #expect(try ids(app) == [])
      try await broker.publish(topic, "online")
      _ = try await app.first("onefix/boat/peer/fix")
      try await daemon.broker("waiting", "0")
      #expect(try await daemon.status()["mqtt-1-subscriber"] == nil)
    }
  }

  @Test func `a fix is not lost if an MQTT 5 broker has no subscriber for it, and requests are still served`()
    async throws
  {
    try await withoutSubscriber("version = \"5\"") { daemon, broker in
      try await daemon.broker("subscriber", "awaited")
      try await daemon.waits("1")
      let app = try await Subscriber(broker)
      try await broker.request("{\"id\":\"y\"}", of: daemon)
      _ = try await app.first("onefix/boat/peer/fix")
      try await daemon.broker("waiting", "0")
      #expect(try ids(app) == ["x"])
    }
  }

  @Test func `without a sign of its subscriber, a fix waits for the configured time`() async throws {
    let settings = "subscriber_topic = \"app/status\"\nsubscriber_timeout_s = 3\nversion = \"3.1.1\""
    try await withoutSubscriber(settings) { daemon, _ in
      _ = try await eventually("the fix at the broker") {
        try await daemon.mqttLog().last?.hasSuffix("acknowledged") == true ? true : nil
      }
    }
  }

  @Test func `the kill switch closes a connection that has a fix in flight, and no part of the fix is sent again`()
    async throws
  {
    try await Daemon.behind(subscriber: "app") { daemon, broker, app in
      try await broker.request(of: daemon)
      // The broker accepts bytes and sends no acknowledgement.
      broker.hold()
      try await daemon.press(until: ["served", "granted"])
      try await daemon.waits("1")
      try await daemon.hold()
      #expect(try await daemon.mqttLog() == ["lost"])
      try await daemon.broker("state", "disconnected")
      broker.resume()
      try await daemon.broker("state", "connected")
      try await app.settle()
      // Bytes that the kernel already had cannot be recalled.
      #expect(app.messages("onefix/boat/peer/fix").count <= 1)
      #expect(try await daemon.mqttLog() == ["lost"])
      try await daemon.waits("0")
    }
  }

  @Test func `a fix that a broker refuses is not lost`() async throws {
    let rules = try Folder()
    func allow(_ kind: String) throws -> String {
      try rules.write("topic readwrite #\n\(kind)\n", to: "acl")
    }
    let lines = "allow_anonymous true\nacl_file \(try allow("topic deny onefix/boat/peer/fix"))"
    try await Daemon.behind(brokerWith: lines, subscriber: "app") { daemon, broker, app in
      try await broker.request(of: daemon)
      try await daemon.press(until: ["served", "granted"])
      try await daemon.process.reported("cannot use a broker", "not authorized")
      try await daemon.waits("1")
      try await daemon.broker("fault", "publication-refused")
      _ = try allow("")
      broker.readRules()
      _ = try await app.first("onefix/boat/peer/fix")
      try await daemon.broker("waiting", "0")
      try await app.settle()
      #expect(try ids(app).count == 1)
    }
  }

  @Test func `a sealed fix can be opened with the app's key, and has no other field than its id`() async throws {
    let key = AppKeyPair()
    try await Daemon.behind("seal_to = \"\(key.text)\"") { daemon, broker, app in
      try await broker.request(#"{"id":"s"}"#, of: daemon)
      try await daemon.press(until: ["served", "granted"])
      let message = try await app.first("onefix/boat/peer/fix").payload
      let object = try #require(try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: String])
      #expect(Set(object.keys) == ["id", "sealed"] && object["id"] == "s")
      let sealed = try #require(object["sealed"])
      let fix = try Fix(try #require(key.open(sealed, id: "s")))
      #expect(fix.latitude.isFinite && fix.accuracy == "full")
    }
  }
}
