import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct MQTTFeatureTests {
  private static let apps = """

    [[app]]
    id = "ferry"
    key = true
    [[app]]
    id = "tug"
    key = true
    [[app]]
    id = "wall"
    uid = 7
    surface = "display"
    """

  @Test func `an app behind a broker needs no other identity`() throws {
    let text = "[[mqtt]]\nbroker = \"mqtt://[::1]\"\napp = \"tug\"\n[[app]]\nid = \"tug\""
    #expect(try read(text, as: MQTTFeature.self)?.brokers.map(\.app.name) == ["tug"])
  }

  /// The faulty tables of an app that has no other identity.
  @Test(arguments: [
    "[[mqtt]]\nbroker = \"mqtt.example.org\"\napp = \"tug\"", "[[mqtt]]\napp = \"tug\"",
    "[[mqtt]]\nbroker = \"mqtt://192.0.2.1\"\napp = \"tug\"",
    "[[mqtt]]\nbroker = \"mqtt://[::1]\"\napp = \"wall\"\nclient_id = \"x\"\n[[mqtt]]\nbroker = \"mqtt://[::1]\"\n"
      + "app = \"tug\"\nclient_id = \"x\"",
    "[[serial]]\nport = \"ttyS1\"\napp = \"tug\"", "[[serial]]\napp = \"tug\"",
    "[[serial]]\nport = \"/dev/ttyS1\"\napp = \"wall\"\n[[serial]]\nport = \"/dev/ttyS1\"\napp = \"tug\"",
  ])
  func `an error in a broker or a serial port of an app is no error of the app`(tables: String) {
    let found = faults("\(tables)\n[[app]]\nid = \"tug\"\n[[app]]\nid = \"wall\"\nuid = 7")
    #expect(found.count == 1 && found.allSatisfy { !$0.contains("[[app]]") }, "\(found)")
  }

  /// The table of a broker with its necessary keys.
  private static let shortest = "[[mqtt]]\nbroker = \"mqtt://[::1]\"\napp = \"ferry\"\n"

  private func brokers(_ text: String) throws -> [MQTTSettings] {
    try #require(try read(text + Self.apps, as: MQTTFeature.self)).brokers
  }

  @Test func `an entry needs a broker and an app, and other keys have defaults`() throws {
    let text =
      "gateway = \"boat\"\n[[mqtt]]\nbroker = \"mqtts://mqtt.example.org\"\napp = \"ferry\"\n[[mqtt]]\n"
      + "broker = \"mqtt://[::1]:1884\"\napp = \"tug\""
    let found = try brokers(text)
    try #require(found.count == 2)
    let (first, second) = (found[0], found[1])
    #expect(first.broker.address == "mqtts://mqtt.example.org:8883")
    #expect(first.broker.version == nil && first.broker.clientID == "onefix-boat-ferry")
    #expect(
      first.expires == .seconds(86_400) && first.files.isEmpty && first.homeAssistant == nil && !first.speaksOwnTracks
        && first.recipient == nil)
    #expect(second.broker.address == "mqtt://[::1]:1884")
    #expect("\(first.brokerLocation)" == "onefix.toml:3" && "\(second.appLocation)" == "onefix.toml:7")
  }

  @Test func `the keys of an entry are read, and each file has its line`() throws {
    let text = """
      [[mqtt]]
      broker = "mqtts://192.0.2.1:8884"
      app = "ferry"
      version = "5"
      username = "boat"
      password_file = "/etc/onefix/mqtt"
      ca = "/etc/onefix/ca.pem"
      certificate = "/etc/onefix/boat.pem"
      key = "/etc/onefix/boat.key"
      expires = 3600
      home_assistant = true
      owntracks = true
      on_press = true
      client_id = "boat"
      """
    let settings = try #require(try brokers(text).first)
    #expect(
      settings.broker.version == .five && settings.broker.username == "boat" && settings.broker.clientID == "boat")
    #expect(settings.expires == .seconds(3600) && settings.homeAssistant == true && settings.speaksOwnTracks)
    #expect(settings.isForEachPress)
    #expect(try brokers(Self.shortest).first?.isForEachPress == false)
    #expect(
      settings.files.map { "\($0.path) \(settings.location(of: $0.key))" } == [
        "/etc/onefix/mqtt onefix.toml:6", "/etc/onefix/ca.pem onefix.toml:7", "/etc/onefix/boat.pem onefix.toml:8",
        "/etc/onefix/boat.key onefix.toml:9",
      ])
  }

  @Test func `fixes wait for the configured subscriber topic, by default 120 s`() throws {
    let usual = try #require(try brokers(Self.shortest).first)
    #expect(usual.subscriberTopic == nil && usual.subscriberTimeout == .seconds(120))
    let more = "subscriber_topic = \"logbook/status\"\nsubscriber_timeout_s = 0"
    let settings = try #require(try brokers(Self.shortest + more).first)
    #expect(settings.subscriberTopic == "logbook/status" && settings.subscriberTimeout == .zero)
  }

  @Test(arguments: [
    (shortest + "home_assistant = true", shortest + "home_assistant = false", []),
    (shortest + "home_assistant = true", shortest, []), (shortest + "owntracks = true", shortest, ["mqtt"]),
    ("[page]\nport = 1", "[page]\nport = 2", ["page"]), ("[metrics]\nfile = \"/a\"", "", ["metrics"]),
  ])
  func `home_assistant takes effect without a restart, and owntracks, a page and metrics do not`(
    text: String, other: String, differences: [String]
  ) throws {
    let fixed = try configuration(text + Self.apps).fixed
    #expect(fixed.differences(from: try configuration(other + Self.apps).fixed) == differences)
  }

  @Test(arguments: ["mqtt://127.0.0.1\"", "mqtt://localhost:1\"", "mqtt://[::1]\"", "mqtt://192.0.2.1\"\nplain = true"])
  func `loopback brokers, and other brokers with permission, need no TLS`(broker: String) throws {
    #expect(try brokers("[[mqtt]]\napp = \"ferry\"\nbroker = \"\(broker)").count == 1)
  }

  @Test(arguments: [
    "mqtt.example.org", "http://mqtt.example.org", "mqtts://", "mqtts://a:b@example.org", "mqtts://example.org/path",
    "mqtts://example.org:0", "mqtts://example.org:65536", "mqtts://[::1", "mqtts://::1", "mqtts://a b", "",
  ])
  func `an invalid broker is refused with an example`(broker: String) {
    let found = faults("[[mqtt]]\nbroker = \"\(broker)\"\napp = \"ferry\"" + Self.apps)
    #expect(found.count == 1)
    #expect(found.first?.contains("must be as in 'mqtts://mqtt.example.org:8883'") == true)
  }

  @Test(arguments: [
    ("mqtts://mqtt.example.org", "mqtts://MQTT.Example.org:8883", true),
    ("mqtts://mqtt.example.org", "mqtts://mqtt.example.org.", true), ("mqtt://localhost", "mqtt://127.0.0.1", true),
    ("mqtt://localhost", "mqtts://[::1]:1883", true), ("mqtt://[::1]", "mqtt://[0:0:0:0:0:0:0:1]", true),
    ("mqtts://[2001:db8::a]", "mqtts://[2001:DB8:0::A]", true), ("mqtt://127.0.0.1", "mqtt://127.0.0.2", false),
    ("mqtts://mqtt.example.org", "mqtts://mqtt.example.org:8884", false),
    ("mqtts://mqtt.example.org", "mqtts://mqtt.example.com", false),
  ])
  func `two spellings of one broker are one broker, where an app has one entry`(
    first: String, second: String, isSame: Bool
  ) {
    let tables = [first, second].map { "[[mqtt]]\nbroker = \"\($0)\"\napp = \"ferry\"\n" }
    let fault = "onefix.toml:5: error: 'ferry' is configured twice at this broker (first in line 2)"
    #expect(faults(tables.joined() + Self.apps) == (isSame ? [fault] : []))
  }

  private static let key = "the public key of an app: a key of X25519 in base64url, with 43 letters and digits"

  private static let invalid = """
    app = "ferry" → 2: [[mqtt]] needs 'broker'
    broker = "mqtt://[::1]" → 2: [[mqtt]] needs 'app'
    broker = "mqtt://[::1]" | app = "fery" → 4: no [[app]] has the id 'fery' (did you mean 'ferry'?)
    broker = "mqtt://[::1]" | app = "wall" \
      → 4: 'wall' is a display, which a broker cannot serve: the gateway cannot detect whether the display is connected
    broker = "mqtt://192.0.2.1" | app = "ferry" \
      → 3: 'broker' in [[mqtt]] is not a loopback address and uses no TLS, so others could read each fix \
      (use 'mqtts://', or 'plain = true' on a trusted network)
    broker = "mqtt://[::1]" | app = "ferry" | subscriber_topic = "a/+" \
      → 5: 'subscriber_topic' in [[mqtt]] must be one topic, without '+' and '#'
    broker = "mqtt://[::1]" | app = "ferry" | subscriber_topic = "" \
      → 5: 'subscriber_topic' in [[mqtt]] is empty (omit the key for its default)
    broker = "mqtt://[::1]" | app = "ferry" | client_id = "" \
      → 5: 'client_id' in [[mqtt]] is empty (omit the key for its default)
    broker = "mqtt://[::1]" | app = "ferry" | username = "boat\\u0000" \
      → 5: 'username' in [[mqtt]] must not contain control characters, tabs or line ends
    broker = "mqtt://[::1]" | app = "ferry" | username = "\(String(repeating: "u", count: 1025))" \
      → 5: 'username' in [[mqtt]] is 1025 columns wide, but must have at most 1024
    broker = "mqtts://a" | app = "ferry" | key = "/k" → 5: 'key' in [[mqtt]] needs 'certificate'
    broker = "mqtts://a" | app = "ferry" | password_file = "/k" → 5: 'password_file' in [[mqtt]] needs 'username'
    broker = "mqtt://[::1]" | app = "ferry" | ca = "/k" → 5: 'ca' in [[mqtt]] is valid only with 'mqtts://'
    broker = "mqtt://[::1]" | app = "ferry" | seal_to = "abc" \
      → 5: 'seal_to' in [[mqtt]] is 'abc', but must be \(key)
    broker = "mqtt://[::1]" | app = "ferry" | seal_to = "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo" \
      | owntracks = true \
      → 6: 'owntracks' in [[mqtt]] cannot be used with 'seal_to', because it cannot read sealed fixes
    broker = "mqtt://[::1]" | app = "ferry" | expire = 7 → 5: unknown key 'expire' in [[mqtt]] (did you mean 'expires'?)
    broker = "mqtt://[::1]" | app = "ferry" | client_id = "x" | [[mqtt]] \
      | broker = "mqtt://[::1]" | app = "tug" | client_id = "x" \
      → 9: 'client_id' is the same as in line 5; the broker accepts only one connection for each
    """

  @Test(arguments: cases(invalid))
  func `an invalid key is reported with its line`(text: String, errors: [String]) {
    #expect(faults("\n[[mqtt]]\n\(text)" + Self.apps) == errors)
  }
}
