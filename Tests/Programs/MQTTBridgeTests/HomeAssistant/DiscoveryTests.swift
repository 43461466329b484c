import Base
import Features
import LineProtocol
import Testing

@Suite struct DiscoveryTests {
  private func discovery(
    gateway: String = "boat-7", app: String = "home-assistant", appName: String = "Home Assistant",
    accuracy: FixAccuracy = .full
  ) -> Discovery {
    Discovery(BridgeTopics(gateway: gateway, app: app), appName: appName, accuracy: accuracy)
  }

  private func object(_ value: JSONValue?) throws -> [String: JSONValue] {
    guard case .object(let members)? = value else { throw NoObject() }
    return members
  }

  struct NoObject: Error {}

  private func payload(_ discovery: Discovery) throws -> JSONValue {
    let retained = discovery.messages.filter(\.isRetained)
    try #require(retained.count == 1)
    return try #require(JSONValue(retained[0].payload.utf8))
  }

  private func components(_ discovery: Discovery) throws -> [String: [String: JSONValue]] {
    try object(payload(discovery)["components"]).mapValues { try object($0) }
  }

  @Test(arguments: [(FixAccuracy.full, 11), (.reduced, 10)])
  func `the configuration is what the documentation asks for`(accuracy: FixAccuracy, count: Int) throws {
    let name = #"A "quoted" Ünïcode 船 \ {{ states('x') }}"#
    let root = try object(payload(discovery(appName: name, accuracy: accuracy)))
    #expect(Set(root.keys) == ["device", "origin", "availability", "components"])
    let device = try object(root["device"])
    #expect(Set(device.keys).isSubset(of: ["identifiers", "name", "manufacturer", "model", "sw_version"]))
    #expect(device["name"]?.string == "\(name) (boat-7)")
    #expect(device["identifiers"]?.array.map { !$0.isEmpty && $0.allSatisfy { $0.string != nil } } == true)
    #expect(try object(root["origin"])["name"]?.string?.isEmpty == false)
    let availability =
      #"[{"topic":"onefix/boat-7/status","payload_available":"online","payload_not_available":"offline"}]"#
    #expect(root["availability"] == JSONValue(availability.utf8))
    var ids: Set<String> = []
    for (name, component) in try components(discovery(accuracy: accuracy)) where component.count > 1 {
      let platform = try #require(component["platform"]?.string)
      try #require(DocumentedSchema.platforms[platform]).check(component, name)
      ids.insert(try #require(component["unique_id"]?.string))
      #expect(component["qos"]?.number == 1, "\(name) names its quality of service")
    }
    #expect(ids.count == count, "each has an id of its own")
  }

  @Test
  func `a device has an entity for each value, and those about the past stay available while the gateway is offline`()
    throws
  {
    let platforms = try components(discovery()).mapValues {
      ($0["platform"]?.string ?? "") + ($0["availability"] == nil ? "" : ", always available")
    }
    #expect(
      platforms == [
        "press": "event, always available", "in_use": "binary_sensor", "tracker": "device_tracker, always available",
        "receiver": "sensor", "last_disclosure": "sensor, always available", "measured": "sensor, always available",
        "satellites": "sensor, always available", "request": "button", "error": "event, always available",
        "locked": "binary_sensor", "place": "sensor, always available",
      ])
  }

  @Test func `every reason for the end of a request is an event`() throws {
    let types = try #require(try components(discovery())["error"]?["event_types"]?.array).compactMap(\.string)
    #expect(Set(types) == Set(ErrorCode.allCases.filter { !$0.closes }.map(\.slug)))
    #expect(types.contains("already-armed") && types.contains("no-press"))
  }

  @Test func `the entities read the app's own topics, and send requests that the broker does not retain`() throws {
    for (name, component) in try components(discovery()) {
      for key in ["state_topic", "json_attributes_topic", "command_topic"] {
        if let topic = component[key]?.string { #expect(topic.hasPrefix("onefix/boat-7/home-assistant/"), "\(name)") }
      }
    }
    let button = try #require(try components(discovery())["request"])
    #expect(button["command_topic"]?.string == "onefix/boat-7/home-assistant/request")
    #expect(button["retain"]?.bool == false)
    #expect(button["payload_press"]?.string.flatMap { JSONValue($0.utf8) } == .object([:]))
  }

  @Test
  func `only apps with full accuracy have satellites, which are described once so that Home Assistant removes them`()
    throws
  {
    #expect(try components(discovery(accuracy: .reduced))["satellites"] == ["platform": .string("sensor")])
    let messages = discovery(accuracy: .reduced).messages.filter { $0.topic.hasPrefix("homeassistant/") }
    try #require(messages.count == 2)
    #expect(messages[0].payload == discovery().messages[0].payload && !messages[0].isRetained)
    #expect(messages[0].topic == messages[1].topic)
    // While Home Assistant adds the first component of the second message, it reads no other component.
    #expect(messages.allSatisfy { $0.payload.contains("\"components\":{\"satellites\":") })
    #expect(discovery().messages.count { $0.topic.hasPrefix("homeassistant/") } == 1)
  }

  @Test func `the name of a place is the state of the tracker until the app receives positions again`() throws {
    let tracker = try #require(try components(discovery())["tracker"])
    let topic = "onefix/boat-7/home-assistant/place"
    #expect(tracker["state_topic"]?.string == topic && tracker["payload_not_home"]?.string == "away")
    for accuracy in FixAccuracy.allCases {
      let resets = discovery(accuracy: accuracy).messages.filter { $0.topic == topic }
      #expect(resets.map(\.payload) == (accuracy == .place ? [] : [tracker["payload_reset"]?.string ?? ""]))
      #expect(resets.allSatisfy { !$0.isRetained && !NamedPlace.isName($0.payload) })
    }
  }

  @Test func `no retained message contains a position`() throws {
    for text in FixAccuracy.allCases.flatMap({ discovery(accuracy: $0).messages.map(\.payload) }) {
      for digits in text.matches(of: /-?\d+\.\d{3,}/) { Issue.record("\(digits.output)") }
    }
  }

  @Test func `a removed app is removed from its discovery topic`() {
    let reduced = discovery(accuracy: .reduced)
    #expect([reduced.topic] == reduced.messages.filter(\.isRetained).map(\.topic))
    #expect(discovery().topic == "homeassistant/device/onefix_boat-7_home-assistant/config")
  }

  @Test func `no two apps have the same topic, and each topic is valid for Home Assistant`() throws {
    let parts = ["a", "_", ".", "-", "d", "_d", "__", "._", "1"]
    let pairs = parts.flatMap { first in parts.map { first + $0 } }
    let apps = Set(pairs.flatMap { pair in parts.map { "x" + pair + $0 } })
    var topics: Set<String> = []
    for app in apps {
      for gateway in ["boat", "boat-x"] {
        let topic = discovery(gateway: gateway, app: app).topic
        #expect(topic.wholeMatch(of: /homeassistant\/device\/[a-zA-Z0-9_-]+\/config/) != nil)
        topics.insert(topic)
      }
    }
    #expect(topics.count == 2 * apps.count)
  }
}
