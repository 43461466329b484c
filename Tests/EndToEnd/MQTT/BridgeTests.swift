import Authorization
import LineProtocol
import Ports
import Logging
import MQTTBridge
import Requirements
import Testing

/// A gateway that does not answer.
private final class SilentGateway: BrokerService {
  let name = "boat"
  let keyring = Keyring()

  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields { [:] }
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool {
    true
  }
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async {}
  func closed(_ connection: any ClientConnection, isFinal: Bool) async {}
  func connected(_ connection: any ClientConnection, awaitingSubscriberFor patience: Duration?) async {}
  func subscriberAppeared(on connection: any ClientConnection) async {}
  func ready(_ connection: any ClientConnection) async {}
  func unheard(_ publication: Int64, on connection: any ClientConnection) async {}
  func undelivered(_ topics: [String], on connection: any ClientConnection) async {}
  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async {}
  func disconnected(_ connection: any ClientConnection) async {}
  func ignored(_ reason: String, on connection: any ClientConnection) async {}
}

@Suite(
  .needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isInstalled))
struct BridgeTests {
  @Test
  func `states for programs at a broker are retained, emptied when they end, and published again at a birth message`()
    async throws
  {
    let broker = try await Mosquitto()
    try await broker.publish("homeassistant/event/gone/config", "old", ["-r"])
    let subscriber = try await Subscriber(broker)
    #expect(subscriber.messages("homeassistant/event/gone/config").map(\.isRetained) == [true])
    let topics = BridgeTopics(gateway: "boat", app: "peer")
    let settings = BrokerSettings(host: "127.0.0.1", port: broker.port, clientID: "bridge")
    let programs = Integrations(
      discovery: { _ in [("homeassistant/event/boat/config", "{}", true)] },
      removed: ["homeassistant/event/gone/config"],
      birth: ("homeassistant/status", "online"))
    var logger = Logger(label: "bridge")
    logger.logLevel = .critical
    let bridge = try Bridge(
      to: settings, app: try #require(AppID("peer")), topics: topics,
      form: BridgeForm(place: settings.place, topics: topics, expires: .seconds(60)), integrations: programs,
      logger: logger)
    let running = Task { try await bridge.run(SilentGateway()) }
    let event = "homeassistant/event/boat/config"
    _ = try await subscriber.first(event)
    try await broker.publish("homeassistant/status", "offline")
    try await broker.publish("homeassistant/status", "online")
    _ = try await subscriber.first(event, after: 1)
    try await subscriber.settle()
    #expect(subscriber.messages(event).map(\.payload) == ["{}", "{}"])
    let late = try await Subscriber(broker)
    #expect(late.messages(event).map(\.isRetained) == [true])
    #expect(late.messages("homeassistant/event/gone/config").isEmpty)
    bridge.stop()
    try await running.value
    _ = try await late.first("onefix/boat/status") { $0.payload == "offline" }
  }
}
