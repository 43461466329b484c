import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct MQTTFeatureTests {
  static let apps = """
     | [[app]] | id = "ferry" | key = true | [[app]] | id = "tug" | key = true | [[app]] | id = "wall" | uid = 7 \
    | surface = "display"
    """

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

  @Test func `an entry needs a broker and an app without another identity, and other keys have defaults`() throws {
    let text = #"""
      gateway = "boat" | [[mqtt]] | broker = "mqtts://mqtt.example.org" | app = "ferry" | [[mqtt]] \#
      | broker = "mqtt://[::1]:1884" | app = "tug" | [[app]] | id = "ferry" | [[app]] | id = "tug"
      """#
    let found = try #require(try read(text, as: MQTTFeature.self)).brokers
    #expect(
      found.map { "\($0.broker.address) \($0.broker.clientID) \($0.brokerLocation) \($0.appLocation)" } == [
        "mqtts://mqtt.example.org:8883 onefix-boat-ferry onefix.toml:3 onefix.toml:4",
        "mqtt://[::1]:1884 onefix-boat-tug onefix.toml:6 onefix.toml:7",
      ])
    let first = try #require(found.first)
    #expect(first.broker.version == nil && first.expires == .seconds(86_400) && first.files.isEmpty)
    #expect(first.homeAssistant == nil && !first.speaksOwnTracks && !first.isForEachPress && first.recipient == nil)
    #expect(first.subscriberTopic == nil && first.subscriberTimeout == .seconds(120))
  }

  @Test func `the keys of an entry are read, and each file has its line`() throws {
    let text = #"""
      [[mqtt]] | broker = "mqtts://192.0.2.1:8884" | app = "ferry" | version = "5" | username = "boat" \#
      | password_file = "/etc/onefix/mqtt" | ca = "/etc/onefix/ca.pem" | certificate = "/etc/onefix/boat.pem" \#
      | key = "/etc/onefix/boat.key" | expires = 3600 | home_assistant = true | owntracks = true | on_press = true \#
      | client_id = "boat" | subscriber_topic = "logbook/status" | subscriber_timeout_s = 0
      """#
    let settings = try #require(try read(text + Self.apps, as: MQTTFeature.self)?.brokers.first)
    #expect(
      settings.broker.version == .five && settings.broker.username == "boat" && settings.broker.clientID == "boat")
    #expect(settings.expires == .seconds(3600) && settings.homeAssistant == true && settings.speaksOwnTracks)
    #expect(settings.isForEachPress)
    #expect(settings.subscriberTopic == "logbook/status" && settings.subscriberTimeout == .zero)
    #expect(
      settings.files.map { "\($0.path) \(settings.location(of: $0.key))" } == [
        "/etc/onefix/mqtt onefix.toml:6", "/etc/onefix/ca.pem onefix.toml:7", "/etc/onefix/boat.pem onefix.toml:8",
        "/etc/onefix/boat.key onefix.toml:9",
      ])
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

  static let invalid = """
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
    broker = "mqtt://127.0.0.1" | app = "ferry"
    broker = "mqtt://localhost:1" | app = "ferry"
    broker = "mqtt://192.0.2.1" | plain = true | app = "ferry"
    """
}
