import Requirements
import Testing

/// The messages of a real daemon to Home Assistant and OwnTracks, through a real broker.
@Suite(.needsMosquitto)
struct HomeAssistantTests {
  private static let config = "homeassistant/device/onefix_boat_peer/config"

  @Test func `Home Assistant discovers the app again at each start, and learns of satellites only at full accuracy`()
    async throws
  {
    try await Daemon.behind("home_assistant = true") { daemon, broker, subscriber in
      let first = try await subscriber.first(Self.config) { $0.payload.contains("\"Satellites in the last fix\"") }
      #expect(first.payload.contains("\"onefix/boat/peer/request\"") && first.payload.contains("\"device_tracker\""))
      let late = try await Subscriber(broker)
      #expect(late.messages(Self.config).map(\.isRetained) == [true])
      // No retained message contains a position.
      #expect(late.messages.filter { $0.isRetained && $0.payload.contains(#""lat":"#) }.isEmpty)
      try await subscriber.settle()
      let count = subscriber.messages(Self.config).count
      // Only its birth message is a start.
      try await broker.publish("homeassistant/status", "offline")
      try await broker.publish("homeassistant/status", "online")
      _ = try await subscriber.first(Self.config, after: count)
      try await subscriber.settle()
      #expect(subscriber.messages(Self.config).count == count + 1)
      for count in 0..<2 {
        try await broker.request(of: daemon)
        try await daemon.press(until: ["served", "granted"])
        _ = try await subscriber.first("onefix/boat/peer/fix", after: count)
        try await daemon.broker("waiting", "0")
      }
      // Only the first position after a start removes a name, which may be of an earlier run.
      #expect(subscriber.messages("onefix/boat/peer/place").map(\.payload) == ["no place"])
      let owner = try await Peer.owner(daemon, "SET peer accuracy reduced")
      _ = try await subscriber.first(Self.config, after: count) {
        !$0.payload.contains("\"Satellites in the last fix\"")
      }
      // The owner can disable these messages while the daemon runs.
      let text = broker.settings("home_assistant = false") + Daemon.configuration
      _ = try daemon.folder.write(text, to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
      _ = try await subscriber.first(Self.config, after: count) { $0.payload.isEmpty }
    }
  }

  @Test(arguments: [false, true])
  func `removed apps leave no messages at their broker, and the last of them that the gateway is unavailable`(
    isEnabledLater: Bool
  ) async throws {
    let broker = try await Mosquitto()
    let subscriber = try await Subscriber(broker)
    // With OwnTracks alone, the connection of the app does not publish the status of the gateway.
    let rest = broker.entry(isEnabledLater ? "owntracks = true\nhome_assistant = true" : "home_assistant = true")
    let former = isEnabledLater ? broker.entry("owntracks = true") : rest
    try await Daemon.behind(broker, broker.settings(app: "other") + former) { daemon in
      let owner = try await Peer.owner(daemon)
      if isEnabledLater {
        let text = broker.settings(app: "other") + rest + Daemon.configuration
        _ = try daemon.folder.write(text, to: "onefix.toml")
        #expect(try await owner.reply(to: "RELOAD") == "+OK")
      }
      _ = try await subscriber.first("onefix/boat/status", after: 1) { $0.payload == "online" }
      _ = try await subscriber.first(Self.config) { !$0.payload.isEmpty }
      let first = Daemon.configuration.replacing("\"other\"", with: "\"somebody\"")
      _ = try daemon.folder.write("gateway = \"boat\"\n" + rest + first, to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=mqtt")
      try await broker.waitUntilDisconnected("onefix-boat-other")
      try await subscriber.settle()
      #expect(Set(subscriber.messages("onefix/boat/status").map(\.payload)) == ["online"])
      let second = first.replacing("\"peer\"", with: "\"another\"")
      _ = try daemon.folder.write("gateway = \"boat\"\n" + second, to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=mqtt")
      _ = try await subscriber.first(Self.config) { $0.payload.isEmpty }
      _ = try await subscriber.first("onefix/boat/status") { $0.payload == "offline" }
      let late = try await Subscriber(broker)
      #expect(Set(late.messages.filter(\.isRetained).map(\.topic)) == ["onefix/boat/status"])
    }
  }

  @Test(arguments: ["3.1.1", "5"])
  func `a discovery message that the broker's access rules reject is reported with its topic`(version: String)
    async throws
  {
    let rules = try Folder()
    func allow(_ more: String) throws -> String {
      try rules.write(
        "topic readwrite onefix/#\ntopic readwrite test/#\ntopic readwrite homeassistant/status\n\(more)\n", to: "acl")
    }
    let broker = try await Mosquitto(
      "allow_anonymous true\nmax_queued_messages 1000\nacl_file \(try allow(""))")
    let settings = broker.settings("home_assistant = true\nversion = \"\(version)\"")
    try await Daemon.behind(broker, settings) { daemon in
      try await daemon.broker("undelivered", Self.config)
      let doctor = try await daemon.onefix("doctor")
      #expect(doctor.output.contains { $0.contains("topic readwrite \(Self.config)") }, "\(doctor.output)")
      _ = try allow("topic readwrite \(Self.config)")
      broker.readRules()
      // The message is published again when Home Assistant starts.
      _ = try await eventually("the description") {
        try await broker.publish("homeassistant/status", "online")
        return try await daemon.status()["mqtt-1-undelivered"] == nil ? true : nil
      }
    }
  }

  @Test
  func `OwnTracks alone receives a fix from the gateway, the broker's message when it is gone, and no other status`()
    async throws
  {
    let broker = try await Mosquitto()
    // A status of an earlier configuration is deleted.
    try await broker.publish("onefix/boat/status", "offline", ["-r"])
    let subscriber = try await Subscriber(broker)
    let daemon = try await Daemon.start(configuration: broker.settings("owntracks = true"))
    _ = try await subscriber.first("onefix/boat/status", after: 1) { $0.payload.isEmpty }
    try await daemon.authorize("peer")
    try await daemon.broker("state", "connected")
    try await broker.request(#"{"id":"a"}"#, of: daemon)
    try await daemon.press(until: ["served", "granted"])
    let location = try await subscriber.first("owntracks/boat/peer")
    #expect(location.qos == 1 && !location.isRetained)
    let fields = [#""_type":"location""#, #""tid":"at""#, #""t":"u""#, #""acc":"#, #""tst":"#]
    #expect(fields.allSatisfy(location.payload.contains), "\(location.payload)")
    _ = try await subscriber.first("onefix/boat/peer/fix") { $0.payload.contains("\"id\":\"a\"") }
    daemon.process.kill(9)
    _ = try await subscriber.first("owntracks/boat/peer") { $0.payload.contains(#""_type":"lwt""#) }
    let late = try await Subscriber(broker)
    #expect(late.messages("onefix/boat/status").isEmpty)
  }

  @Test func `OwnTracks' command reportLocation is a request that a press answers, and other commands are ignored`()
    async throws
  {
    try await Daemon.behind("owntracks = true") { daemon, broker, subscriber in
      let start = subscriber.messages("owntracks/boat/peer").count
      let report = #"{"_type":"cmd","action":"reportLocation"}"#
      try await broker.publish("owntracks/boat/peer/cmd", report, ["-r"])
      _ = try await eventually("the ignored command") {
        try await broker.publish("owntracks/boat/peer/cmd", #"{"_type":"cmd","action":"dump"}"#)
        return try await daemon.status()["mqtt-1-ignored"]?.contains("malformed") == true ? true : nil
      }
      #expect(try await daemon.status()["armed"] == nil)
      try await broker.request(report, on: "owntracks/boat/peer/cmd", of: daemon)
      #expect(subscriber.messages("owntracks/boat/peer").count == start)
      try await daemon.press(until: ["served", "granted"])
      _ = try await subscriber.first("owntracks/boat/peer", after: start) { $0.payload.contains(#""t":"u""#) }
    }
  }
}
