import Base
import LineProtocol
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
  func ignored(_ reason: String, count: Int, on connection: any ClientConnection) async {}
}

@Suite(.needsMosquitto)
struct BridgeTests {
  private static let topics = BridgeTopics(gateway: "boat", app: "peer")
  /// A program that shows the name of a place until a message removes it.
  private static let names = {
    var programs = Integrations()
    programs.discovery = { accuracy in accuracy == .place ? [] : [(topics.place, "no place", false)] }
    return programs
  }()

  /// Runs a test's body with a gateway whose bridge uses the broker.
  private static func withBridge(to broker: Mosquitto, _ body: (SilentGateway) async throws -> Void) async throws {
    let settings = BrokerSettings(host: "127.0.0.1", port: broker.port, clientID: "bridge")
    var logger = Logger(label: "bridge")
    logger.logLevel = .critical
    let bridge = try Bridge(
      to: settings, app: try #require(AppID("peer")), topics: topics,
      form: BridgeForm(broker: settings.address, topics: topics, expires: .seconds(60)), integrations: names,
      logger: logger)
    let gateway = SilentGateway()
    let running = Task { try await bridge.run(gateway) }
    try await body(gateway)
    bridge.stop()
    try await running.value
  }

  private static let position = Publication.Message(topic: topics.fix, payload: Array("{}".utf8))

  private static func publish(_ messages: [Publication.Message], number: Int64, on connection: any ClientConnection) {
    let fix = Publication(number: number, messages: messages, life: .seconds(60))
    connection.sink?.publish(fix, until: MonotonicInstant(nanoseconds: .max))
  }

  @Test func `the first position after a start and each position after the name of a place remove the name`()
    async throws
  {
    let broker = try await Mosquitto()
    let subscriber = try await Subscriber(broker)
    try await Self.withBridge(to: broker) { gateway in
      let (position, topics) = (Self.position, Self.topics)
      let name = Publication.Message(topic: topics.place, payload: Array("harbour".utf8))
      // An app may have received a name before the start.
      var fixes = [[position], [position], [position, name], [position], [position]]
      var number: Int64 = 0
      for await connection in gateway.turns {
        if fixes.isEmpty { break }
        number += 1
        Self.publish(fixes.removeFirst(), number: number, on: connection)
      }
      _ = try await subscriber.first(topics.place, after: 3)
      try await subscriber.settle()
      #expect(subscriber.messages(topics.fix).count == 5)
      #expect(subscriber.messages(topics.place).map(\.payload) == ["no place", "harbour", "no place", "no place"])
      #expect(subscriber.messages(topics.place).allSatisfy { !$0.isRetained })
    }
  }

  @Test func `a name is removed again until the broker has received a position`() async throws {
    let broker = try await Mosquitto()
    try await Self.withBridge(to: broker) { gateway in
      var turns = gateway.turns.makeAsyncIterator()
      let connection = try #require(await turns.next())
      try await broker.stop()
      Self.publish([Self.position], number: 1, on: connection)
      try await broker.start()
      let subscriber = try await Subscriber(broker)
      _ = await turns.next()
      Self.publish([Self.position], number: 1, on: connection)
      _ = try await subscriber.first(Self.topics.place) { $0.payload == "no place" }
    }
  }
}
