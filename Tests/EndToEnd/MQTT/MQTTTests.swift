import Foundation
import Requirements
import Testing

/// Apps behind a broker: Debian's mosquitto with its clients, and a real daemon.
@Suite(.needsMosquitto)
struct MQTTTests {
  @Test(arguments: ["3.1.1", "5"])
  func `a press gives one fix, once, at QoS 1 and not retained, and a new subscriber receives states alone`(
    version: String
  ) async throws {
    try await Daemon.behind("version = \"\(version)\"") { daemon, broker, app in
      try await broker.request(#"{"id":"a-1","purpose":"a test"}"#, of: daemon)
      try await daemon.press(until: ["served", "granted"])
      let message = try await app.first("onefix/boat/peer/fix")
      #expect(message.qos == 1 && !message.isRetained)
      let fix = try Fix(message.payload)
      #expect(fix["id"] == "a-1" && fix.accuracy == "full" && fix.latitude.isFinite)
      _ = try await app.first("onefix/boat/peer/press") { $0.payload == #"{"authorized":true}"# }
      try await daemon.broker("waiting", "0")
      try await app.settle()
      #expect(app.messages("onefix/boat/peer/fix").count == 1)
      #expect(try await daemon.mqttLog() == ["acknowledged"])
      try await daemon.waits("0")
      // Only the key home_assistant enables messages for Home Assistant.
      #expect(!app.messages.contains { $0.topic.hasPrefix("homeassistant/") })
      let late = try await Subscriber(broker)
      let states = ["status", "peer/indicator", "peer/authorization", "peer/receiver"]
      #expect(Set(late.messages.filter(\.isRetained).map(\.topic)) == Set(states.map { "onefix/boat/\($0)" }))
      #expect(late.messages("onefix/boat/peer/receiver").map(\.payload) == [#"{"state":"present"}"#])
      for word in ["lat", "lon", "hacc"] {
        #expect(!late.messages.contains { $0.payload.contains("\"\(word)\"") }, "\(late.messages)")
      }
    }
  }

  @Test func `a request is cancelled on its topic, also directly after too many requests, which are counted`()
    async throws
  {
    let broker = try await Mosquitto()
    try await Daemon.behind(broker) { daemon in
      try await broker.request(of: daemon)
      try await broker.publish("onefix/boat/peer/request", #"{"id":"c"}"#, ["--repeat", "300"])
      try await broker.publish("onefix/boat/peer/cancel", "")
      try await daemon.status("armed", is: nil)
      #expect(Self.ignored(try await daemon.status())["too-many"] ?? 0 > 0)
      #expect(try await daemon.press() == "nothing")
    }
  }

  @Test func `requests that are retained, early, old, for another app, malformed or too long are ignored and counted`()
    async throws
  {
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker)
    try await broker.publish("onefix/boat/peer/request", "{}", ["-r"])
    // With MQTT 5 the broker passes on the retain flag of a new message.
    try await Daemon.behind(broker, broker.settings("version = \"5\"")) { daemon in
      // The gateway ignores requests in the first second of a connection and counts them as early.
      try await broker.request(of: daemon)
      try await broker.publish("onefix/boat/peer/cancel", "")
      try await daemon.status("armed", is: nil)
      let early = Self.ignored(try await daemon.status())["early"] ?? 0
      for (topic, payload) in [
        ("peer", #"{"ts":"2020-01-01T00:00:00Z"}"#), ("peer", #"{"ts":1577836800.5}"#), ("other", ""), ("tug", ""),
        ("peer", "no JSON"), ("peer", #"{"timeout":0,"id":"bad"}"#), ("peer", String(repeating: " ", count: 4097)),
      ] {
        try await broker.publish("onefix/boat/\(topic)/request", payload)
      }
      try await broker.publish("onefix/boat/peer/request", "{}", ["-r"])
      let counts = try await eventually("nine requests to be ignored") {
        let counts = Self.ignored(try await daemon.status())
        return counts.values.reduce(0, +) == early + 9 ? counts : nil
      }
      #expect(counts["retained"] == 2 && counts["stale"] == 2 && counts["foreign"] == 2)
      #expect(counts["malformed"] == 2 && counts["too-long"] == 1)
      let metrics = try await daemon.onefix("metrics").output.filter {
        $0.hasPrefix("onefix_broker_ignored_requests_total")
      }
      for (reason, count) in counts {
        #expect(metrics.contains { $0.contains("reason=\"\(reason)\"") && $0.hasSuffix(" \(count)") }, "\(reason)")
      }
      #expect(try await daemon.status()["armed"] == nil)
      let error = try await app.first("onefix/boat/peer/error") { $0.payload.contains("\"bad\"") }
      #expect(error.payload.hasPrefix(#"{"code":405,"slug":"bad-argument","text":"timeout "#))
      // A request with the current time is accepted. The clock of its sender does not matter.
      let now = ISO8601DateFormatter().string(from: Date())
      try await broker.publish("onefix/boat/peer/request", "{\"ts\":\"\(now)\"}")
      try await daemon.status("armed", is: "peer")
      let owners = try await Peer.owner(daemon)
      owners.write("COUNTS")
      _ = try await owners.next { $0.contains(#""answer":"ignored-stale","count":2"#) }
    }
  }

  private static func ignored(_ status: [String: String]) -> [String: Int] {
    let pairs = (status["mqtt-1-ignored"] ?? "").split(separator: ",").compactMap { pair -> (String, Int)? in
      let parts = pair.split(separator: ":")
      return parts.count == 2 ? (String(parts[0]), Int(parts[1]) ?? 0) : nil
    }
    return Dictionary(pairs) { $1 }
  }

  @Test func `the availability is retained, and the broker publishes the will when the gateway is killed`() async throws
  {
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker)
    let daemon = try await Daemon.start(configuration: broker.settings())
    _ = try await app.first("onefix/boat/status") { $0.payload == "online" }
    daemon.process.kill(SIGKILL)
    _ = try await app.first("onefix/boat/status") { $0.payload == "offline" }
    let again = try await Daemon.start(in: daemon.folder, configuration: broker.settings())
    _ = try await app.first("onefix/boat/status", after: 2) { $0.payload == "online" }
    #expect(try await again.stop().end == .exit(0))
    _ = try await app.first("onefix/boat/status", after: 3) { $0.payload == "offline" }
    let late = try await Subscriber(broker)
    #expect(late.messages("onefix/boat/status").map(\.payload) == ["offline"])
  }

  @Test func `with TLS the broker and the gateway verify each other's certificates`() async throws {
    let authority = try await Authority()
    try await authority.issue("boat")
    let broker = try await Mosquitto(
      """
      cafile \(authority.certificate("authority"))
      certfile \(authority.certificate("server"))
      keyfile \(authority.privateKey("server"))
      require_certificate true
      use_identity_as_username true
      """)
    let shown =
      ["--cafile", authority.certificate("authority"), "--cert", authority.certificate("boat")]
      + ["--key", authority.privateKey("boat")]
    let app = try await Subscriber(broker, shown)
    let keys = """
      ca = "\(authority.certificate("authority"))"
      certificate = "\(authority.certificate("boat"))"
      key = "\(authority.privateKey("boat"))"
      """
    try await Daemon.behind(broker, broker.settings(scheme: "mqtts", keys)) { daemon in
      try await broker.request(of: daemon, shown)
      try await daemon.press(until: ["served", "granted"])
      _ = try await app.first("onefix/boat/peer/fix")
    }
  }

  @Test func `a user name and a password are sent to the broker, and the password is in no message`() async throws {
    let folder = try Folder()
    let words = ["-c", "-b", folder.path("passwords"), "boat", "open sesame"]
    try #require(try await Child("mosquitto_passwd", words).finish().end == .exit(0))
    let broker = try await Mosquitto("allow_anonymous false\npassword_file \(folder.path("passwords"))")
    let shown = ["-u", "boat", "-P", "open sesame"]
    let app = try await Subscriber(broker, shown)
    let file = try folder.write("open sesame\n", to: "secret")
    let user = "username = \"boat\"\npassword_file = \"\(file)\""
    try await Daemon.behind(broker, broker.settings(user)) { daemon in
      try await broker.request(of: daemon, shown)
      try await daemon.press(until: ["served", "granted"])
      _ = try await app.first("onefix/boat/peer/fix")
      #expect(!daemon.process.errors.value.description.contains("sesame"))
    }
    _ = try folder.write("open barley\n", to: "secret")
    try await Daemon.with(configuration: broker.settings(user)) { daemon in
      try await daemon.process.reported("cannot use a broker", "not authorized")
      #expect(!daemon.process.errors.value.description.contains("barley"))
    }
  }
}
