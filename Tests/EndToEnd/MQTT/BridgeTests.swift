import LineProtocol
import Base
@testable import Features
import Logging
import Ports
import Requirements
import Testing

/// A gateway that does not answer.
private final class SilentGateway: OutputService {
  let name = "boat"
  let keyring = Keyring()
  /// The connection, each time that the broker is ready for a publication.
  let turns: AsyncStream<any ClientConnection>
  private let becameReady: AsyncStream<any ClientConnection>.Continuation

  init() { (turns, becameReady) = AsyncStream.makeStream() }

  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields { [:] }
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool {
    true
  }
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async {}
  func polled(on connection: any ClientConnection) async {}
  func closed(_ connection: any ClientConnection, isFinal: Bool) async {}
  func connected(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?
  ) async {
    becameReady.yield(connection)
  }
  func failed(_ fault: OutputFault, detail: String?, on connection: any ClientConnection) async {}
  func subscriberAppeared(on connection: any ClientConnection) async {}
  func ready(_ connection: any ClientConnection) async { becameReady.yield(connection) }
  func refused(_ publication: Int64, on connection: any ClientConnection) async {}
  func discarded(_ publication: Int64, on connection: any ClientConnection) async {}
  func undelivered(_ topics: [String], on connection: any ClientConnection) async {}
  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async {}
  func disconnected(_ connection: any ClientConnection) async {}
  func ignored(_ reason: String, on connection: any ClientConnection) async {}
}

@Suite(
  .needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isInstalled))
struct BridgeTests {
  private static let topics = BridgeTopics(gateway: "boat", app: "peer")
  /// A program that shows the name of a place until a message removes it.
  private static let names = {
    var programs = Integrations()
    programs.discovery = { accuracy in accuracy == .place ? [] : [(topics.place, "no place", false)] }
    return programs
  }()

  private static func bridge(to broker: Mosquitto, _ programs: Integrations) throws -> Bridge {
    let settings = BrokerSettings(host: "127.0.0.1", port: broker.port, clientID: "bridge")
    var logger = Logger(label: "bridge")
    logger.logLevel = .critical
    return try Bridge(
      to: settings, app: try #require(AppID("peer")), topics: topics,
      form: BridgeForm(broker: settings.address, topics: topics, expires: .seconds(60)), integrations: programs,
      logger: logger)
  }

  @Test
  func `states for programs at a broker are retained, emptied when they end, and published again at a birth message`()
    async throws
  {
    let broker = try await Mosquitto()
    try await broker.publish("homeassistant/event/gone/config", "old", ["-r"])
    let subscriber = try await Subscriber(broker)
    #expect(subscriber.messages("homeassistant/event/gone/config").map(\.isRetained) == [true])
    var programs = Integrations()
    programs.discovery = { _ in [("homeassistant/event/boat/config", "{}", true)] }
    programs.removed = ["homeassistant/event/gone/config"]
    programs.birth = ("homeassistant/status", "online")
    let bridge = try Self.bridge(to: broker, programs)
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

  @Test func `the first position after a start and each position after the name of a place remove the name`()
    async throws
  {
    let broker = try await Mosquitto()
    let subscriber = try await Subscriber(broker)
    let bridge = try Self.bridge(to: broker, Self.names)
    let topics = Self.topics
    let gateway = SilentGateway()
    let running = Task { try await bridge.run(gateway) }
    let position = Publication.Message(topic: topics.fix, payload: Array("{}".utf8))
    let name = Publication.Message(topic: topics.place, payload: Array("harbour".utf8))
    // An app may have received a name before the start.
    var fixes = [[position], [position], [position, name], [position], [position]]
    var number: Int64 = 0
    for await connection in gateway.turns {
      if fixes.isEmpty { break }
      number += 1
      let fix = Publication(number: number, messages: fixes.removeFirst(), life: .seconds(60))
      connection.sink?.publish(fix, until: MonotonicInstant(nanoseconds: .max))
    }
    _ = try await subscriber.first(topics.place, after: 3)
    try await subscriber.settle()
    #expect(subscriber.messages(topics.fix).count == 5)
    #expect(subscriber.messages(topics.place).map(\.payload) == ["no place", "harbour", "no place", "no place"])
    #expect(subscriber.messages(topics.place).allSatisfy { !$0.isRetained })
    bridge.stop()
    try await running.value
  }

  @Test func `a name is removed again until the broker has received a position`() async throws {
    let broker = try await Mosquitto()
    let bridge = try Self.bridge(to: broker, Self.names)
    let topics = Self.topics
    let gateway = SilentGateway()
    let running = Task { try await bridge.run(gateway) }
    let position = Publication.Message(topic: topics.fix, payload: Array("{}".utf8))
    let fix = Publication(number: 1, messages: [position], life: .seconds(60))
    var turns = gateway.turns.makeAsyncIterator()
    let connection = try #require(await turns.next())
    try await broker.stop()
    connection.sink?.publish(fix, until: MonotonicInstant(nanoseconds: .max))
    try await broker.start()
    let subscriber = try await Subscriber(broker)
    _ = await turns.next()
    connection.sink?.publish(fix, until: MonotonicInstant(nanoseconds: .max))
    _ = try await subscriber.first(topics.place) { $0.payload == "no place" }
    bridge.stop()
    try await running.value
  }
}
