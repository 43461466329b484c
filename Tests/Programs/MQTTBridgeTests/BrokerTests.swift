import Base
import Glibc
import LineProtocol
import Logging
import Ports
import RecordingClients
import Requirements
import Synchronization
import Testing

@testable import Features

private let greeting: @Sendable () -> Broker.Greeting = {
  Broker.Greeting(offline: Announcement("t/status", "offline"))
}

/// Connects to a hostile broker until the client has ended a connection, or until a number of messages has arrived.
private func meet(
  messages: Int = .max, handles: @escaping @Sendable (String) -> Bool = { _ in true },
  _ piece: @escaping @Sendable (Int) -> [UInt8]?
) async throws -> (bytes: Int, lengths: [Int?], warnings: [String]) {
  let hostile = try await HostileBroker(piece)
  let warnings = RecordingLog(.warning)
  let settings = BrokerSettings(host: "127.0.0.1", port: hostile.port, version: .three, clientID: "test")
  let broker = try Broker(
    settings, greeting: greeting, filters: { [("t/request", nil)] }, handles: handles, logger: warnings.logger)
  try broker.start()
  /// The lengths of the payloads; nil for a payload that is too long.
  var lengths: [Int?] = []
  loop: for await event in broker.events {
    switch event {
    case .message(_, let payload, _, _, _):
      lengths.append(payload?.count)
      _ = broker.noteTaken()
      if lengths.count == messages { break loop }
    case .disconnected: break loop
    case .connected, .failed, .acknowledged, .discarded, .undelivered, .idle: break
    }
  }
  try await end(broker, hostile)
  return (hostile.byteCount, lengths, warnings.all)
}

private func end(_ broker: Broker, _ hostile: HostileBroker) async throws {
  broker.stop()
  for await _ in broker.events {}
  try await hostile.stop()
}

/// Returns the connection of a bridge to the gateway, and its broker, to which the bridge does not connect.
private func bridge(_ integrations: Integrations) throws -> (Broker, BridgeConnection) {
  let broker = try Broker(
    BrokerSettings(host: "127.0.0.1", port: 1, clientID: "test"), greeting: greeting, filters: { [] },
    logger: RecordingLog(.warning).logger)
  let topics = BridgeTopics(gateway: "boat", app: "ferry")
  let form = BridgeForm(broker: "b", topics: topics, expires: .seconds(60))
  return (broker, BridgeConnection(broker, topics, form, Reloadable(integrations), StatusPublishers()))
}

@Suite struct BrokerTests {
  @Test func `a region event that waits for its broker is withdrawn by the kill switch, and not sent after its light`()
  {
    let (_, events) = AsyncStream.makeStream(of: Broker.Event.self)
    let now = MonotonicInstant(nanoseconds: 0)
    var state = BrokerState(events)
    state.connect(with: .five, at: now)
    let status = Announcement("t/status", "online", isRetained: true)
    let crossing = Announcement("t/event", "enter", until: now + .seconds(2))
    #expect(state.enqueue(status) && state.enqueue(crossing))
    var late = state
    late.dropEnded(at: now + .seconds(2) - .nanoseconds(1))
    #expect(late.waiting == [status, crossing])
    late.dropEnded(at: now + .seconds(2))
    #expect(late.waiting == [status])
    state.recall()
    #expect(state.waiting == [status])
  }

  /// At most 64 requests wait for the bridge, and 64 withdrawals behind them.
  @Test func `behind too many requests there is room for a withdrawal, and not for endless withdrawals`() async {
    let (stream, events) = AsyncStream.makeStream(of: Broker.Event.self)
    let now = MonotonicInstant(nanoseconds: 0)
    var state = BrokerState(events)
    state.connect(with: .five, at: now)
    func receive(_ topic: String, _ count: Int) {
      for _ in 0..<count { state.receive(topic, [], isRetained: false, at: now) }
    }
    receive("onefix/boat/ferry/request", 300)
    receive("onefix/boat/ferry/cancel", 1)
    receive("onefix/boat/ferry/request", 300)
    receive("onefix/boat/ferry/cancel", 300)
    // The bridge takes one of them, and gets the count of the dropped ones: 236 + 300 requests and 237 withdrawals.
    var dropped = [state.noteTaken()]
    receive("onefix/boat/ferry/request", 1)
    receive("onefix/boat/ferry/cancel", 2)
    dropped += [state.noteTaken(), state.noteTaken()]
    events.finish()
    #expect(dropped == [773, 2, 0])
    var topics: [String] = []
    for await event in stream {
      if case .message(let topic, _, _, _, _) = event { topics.append(String(topic.split(separator: "/").last ?? "")) }
    }
    #expect(topics == Array(repeating: "request", count: 64) + Array(repeating: "cancel", count: 65))
  }

  @Test(.patient)
  func `a packet of 250 MB is not read to its end, and the connection ends`() async throws {
    let length = 250_000_000
    let head = [0x30] + Packet.length(length) + [0, 9] + Array("t/request".utf8)
    let chunk = [UInt8](repeating: 0x20, count: 65_536)
    let met = try await meet { $0 == 0 ? head : $0 < length / chunk.count ? chunk : nil }
    // The limit includes the buffers of the kernel, which are not memory of the library.
    #expect(met.lengths == [] && met.bytes < 32_000_000)
    #expect(met.warnings.contains { $0.contains("a packet of more than 1048576 bytes") }, "\(met.warnings)")
  }

  @Test(.patient)
  func `messages that are never released end the connection`() async throws {
    let met = try await meet { number in
      number < 20_000
        ? Packet.publish("t/request", Array(repeating: 0x20, count: 60_000), qos: 2, number: UInt16(number + 1)) : nil
    }
    #expect(met.lengths == [] && met.bytes < 32_000_000)
    #expect(met.warnings.contains { $0.contains("a message with QoS 2") }, "\(met.warnings)")
  }

  @Test(.patient)
  func `any number of messages of 4096 bytes is received, and the payload of a longer one is not`() async throws {
    // The packets together exceed the maximum length of one packet, so the client must count each packet separately.
    let met = try await meet(messages: 51) { number in
      number < 2000 ? Packet.publish("t/request", Array(repeating: 0x20, count: number < 50 ? 4096 : 4097)) : nil
    }
    #expect(met.lengths == Array(repeating: 4096, count: 50) + [nil] && met.warnings == [])
  }

  @Test(.patient)
  func `messages that another client handles take no room`() async throws {
    let met = try await meet(messages: 1, handles: { $0 == "t/request" }) { number in
      number < 100 ? Packet.publish("u/request", [7]) : Packet.publish("t/request", [0, 0, 3])
    }
    #expect(met.lengths == [3])
  }

  @Test(.patient)
  func `a thousand refusals of a subscription cause one warning, which names its topic`() async throws {
    let met = try await meet(messages: 1) { number in
      number < 1000 ? Packet.refusal(of: 1) : number == 1000 ? Packet.publish("t/request", []) : nil
    }
    let refusals = met.warnings.filter { $0.contains("refuses a subscription") }
    #expect(refusals.count == 1 && refusals.first?.contains("t/request") == true, "\(refusals.count)")
  }

  @Test func `a refused subscription is logged again only after the broker has granted the same subscription`() {
    let (_, events) = AsyncStream.makeStream(of: Broker.Event.self)
    var state = BrokerState(events)
    let answers = [("a", true), ("b", false), ("a", true), ("b", true), ("a", false), ("a", true), ("b", true)]
    var logged: [Bool] = []
    for (filter, isRefused) in answers { logged.append(state.noteSubscription(to: filter, isRefused: isRefused)) }
    #expect(logged == [true, false, false, true, false, true, false])
    #expect(state.refused == ["a", "b"])
    state.keepRefusals(of: ["b", "c"])
    #expect(state.refused == ["b"])
  }

  @Test(
    arguments: [
      ([.accepted], .acknowledged), ([.noSubscriber], .discarded), ([.noSubscriber, .accepted], .acknowledged),
      ([.refused(cause: "no")], .refused), ([.refused(cause: "no"), .noSubscriber], .refused),
      ([.accepted, .refused(cause: "no")], .acknowledged), ([.refused(cause: "no"), .accepted], .acknowledged),
    ] as [([MosquittoClient.Acknowledgement], PublicationAnswers.Result)])
  func `a fix is delivered if one of its messages has a subscriber, and refused if the broker refused another one`(
    acknowledgements: [MosquittoClient.Acknowledgement], result: PublicationAnswers.Result
  ) {
    let start = MonotonicInstant(nanoseconds: 0)
    var answers = PublicationAnswers(1, at: start)
    for index in acknowledgements.indices { answers.expect(Int32(index), on: "topic/\(index)") }
    for (index, answer) in acknowledgements.enumerated() {
      #expect(answers.result == nil)
      // A faulty broker may answer twice, or a message that was never sent.
      let isTaken = [Int32(index), Int32(index), 99].map { answers.take($0, $0 == index ? answer : .accepted) }
      #expect(isTaken == [true, false, false])
    }
    #expect(answers.result == result)
    let refused = acknowledgements.indices.filter { acknowledgements[$0] == .refused(cause: "no") }
    #expect(answers.refusals == Dictionary(uniqueKeysWithValues: refused.map { ("topic/\($0)", "no") }))
    #expect(!answers.isOverdue(at: start + .seconds(60) - .nanoseconds(1)))
    #expect(answers.isOverdue(at: start + .seconds(60)))
  }

  /// Connects to a broker with MQTT 5 and publishes a fix, until the connection fails.
  /// - Parameter acceptance: The packet CONNACK; nil for a broker that accepts no connection.
  private func failure(
    acceptance: [UInt8]?, _ piece: @escaping @Sendable (Int) -> [UInt8]? = { _ in nil }
  ) async throws -> (fault: OutputFault?, warnings: [String]) {
    let hostile = try await HostileBroker(acceptance: acceptance ?? [], isSilent: acceptance == nil, piece)
    let warnings = RecordingLog(.warning)
    let broker = try Broker(
      BrokerSettings(host: "127.0.0.1", port: hostile.port, version: .five, clientID: "test"), greeting: greeting,
      filters: { [] }, logger: warnings.logger, connectTimeout: .milliseconds(acceptance == nil ? 100 : 20_000))
    try broker.start()
    var fault: OutputFault?
    loop: for await event in broker.events {
      switch event {
      case .connected:
        let fix = Publication(number: 1, messages: [.init(topic: "t/fix", payload: [])], life: .seconds(60))
        broker.publish(fix, until: MonotonicInstant(nanoseconds: .max))
      case .failed(let cause):
        fault = cause
        break loop
      case .disconnected, .message, .acknowledged, .discarded, .undelivered, .idle: break
      }
    }
    let all = warnings.all
    try await end(broker, hostile)
    return (fault, all)
  }

  /// The packet DISCONNECT of a broker. (MQTT 5.0 §3.14)
  @Test(
    .patient,
    arguments: [
      (0x87, .refused, "not authorized"), (0x8B, .ended, "server shutting down"),
      (0x8E, .refused, "session taken over"), (0x95, .publication, "packet too large"),
      (0x9A, .refused, "retain not supported"), (0x9B, .refused, "qoS not supported"),
    ] as [(UInt8, OutputFault, String)])
  func `the log has the reason with which a broker ends the connection, and the remedy for this reason`(
    reason: UInt8, fault: OutputFault, cause: String
  ) async throws {
    let met = try await failure(acceptance: [0x20, 3, 0, 0, 0]) { $0 == 0 ? [0xE0, 1, reason] : nil }
    #expect(met.fault == fault)
    #expect(met.warnings.count == 1 && met.warnings.first?.contains("\(cause) (\(fault.remedy))") == true)
  }

  /// The property Maximum QoS has the value 0. (MQTT 5.0 §3.2.2.3.4)
  @Test(.patient)
  func `a broker that accepts no message with QoS 1 refuses the settings, and one without an answer is silent`()
    async throws
  {
    #expect(try await failure(acceptance: [0x20, 5, 0, 0, 2, 0x24, 0]).fault == .refused)
    #expect(try await failure(acceptance: nil).fault == .silent)
  }

  /// After an end without DISCONNECT, a broker would publish the will. (MQTT 3.1.1 §3.14)
  @Test(.patient)
  func `a client that stops sends its last message and the packet DISCONNECT`() async throws {
    let hostile = try await HostileBroker()
    let broker = try Broker(
      BrokerSettings(host: "127.0.0.1", port: hostile.port, version: .three, clientID: "test"), greeting: greeting,
      filters: { [] }, logger: RecordingLog(.warning).logger)
    try broker.start()
    for await case .connected in broker.events { break }
    try await end(broker, hostile)
    var conversations = hostile.conversations.makeAsyncIterator()
    let farewell = Packet.publish("t/status", Array("offline".utf8)) + [0xE0, 0]
    let received = await conversations.next()
    #expect(received?.suffix(farewell.count) == farewell[...])
  }

  @Test(arguments: [
    BrokerSettings.TLS(ca: "/absent.pem"), BrokerSettings.TLS(certificate: "/absent.pem", key: "/absent.key"),
  ])
  func `an absent file has the cause of the system, and not a wrong content`(files: BrokerSettings.TLS) {
    var settings = BrokerSettings(host: "127.0.0.1", port: 1, clientID: "test")
    settings.tls = files
    let error = #expect(throws: OutputError.self) { try MosquittoClient(settings, .five, will: greeting().offline) }
    #expect(error?.fault == .file && error?.object == "/absent.pem" && error?.detail == "no such file or directory")
  }

  /// The reasons of MQTT 3.1.1 are below 128.
  @Test(
    arguments: [
      (OutputFault.version, [1, 0x84]), (.busy, [3, 0x88, 0x89, 0x97, 0x9F]),
      (.refused, [2, 4, 5, 0x80, 0x85, 0x86, 0x87, 0x8A, 0x8C, 0x9A, 0x9B]),
    ] as [(OutputFault, [Int32])])
  func `a broker that is busy, or has another version, is no broker that refuses the settings`(
    fault: OutputFault, reasons: [Int32]
  ) {
    for reason in reasons { #expect(MosquittoClient.fault(ofRefusal: reason) == fault, "\(reason)") }
  }

  @Test func `the topic for names is described to other programs only after the app has received a name`() throws {
    let place = BridgeTopics(gateway: "boat", app: "ferry").place
    var integrations = Integrations()
    integrations.discovery = { _ in [("d/sensor", "{}", true), (place, "no place", false)] }
    let (broker, connection) = try bridge(integrations)
    broker.state.withLock { $0.connect(with: .five, at: MonotonicInstant(nanoseconds: 0)) }
    connection.publishDiscovery()
    #expect(broker.state.withLock(\.waiting).map(\.topic) == ["d/sensor"])
    let name = Publication(number: 1, messages: [.init(topic: place, payload: [])], life: .seconds(60))
    connection.publish(name, until: MonotonicInstant(nanoseconds: .max))
    connection.publishDiscovery()
    #expect(broker.state.withLock(\.waiting).map(\.topic) == ["d/sensor", place])
  }

  @Test func `a changed accuracy of the app is described to other programs at once, and the same accuracy only once`()
    throws
  {
    let described = Mutex<[FixAccuracy]>([])
    var integrations = Integrations()
    integrations.discovery = { accuracy in
      described.withLock { $0.append(accuracy) }
      return []
    }
    let (_, connection) = try bridge(integrations)
    for accuracy in [FixAccuracy.full, .full, .reduced, .reduced, .place, .full] {
      let json = JSONObject.text(["accuracy": accuracy.rawValue])
      connection.send(.message(.init(topic: Topic.authorization.rawValue, sid: "-", json: json)))
    }
    #expect(described.withLock { $0 } == [.full, .reduced, .place, .full])
  }

  // MARK: Limits

  @Test func `256 announcements wait for a broker, and one more replaces the oldest`() {
    let (_, events) = AsyncStream.makeStream(of: Broker.Event.self)
    var state = BrokerState(events)
    state.connect(with: .five, at: MonotonicInstant(nanoseconds: 0))
    let all = (0...256).map { Announcement("t/press", "\($0)") }
    for announcement in all.dropLast() { _ = state.enqueue(announcement) }
    #expect(state.waiting == Array(all.dropLast()))
    _ = state.enqueue(all[256])
    #expect(state.waiting == Array(all.dropFirst()))
  }

  @Test func `while the broker is disconnected, the newest 16 errors of requests are kept`() throws {
    let (broker, connection) = try bridge(Integrations())
    for number in 1...17 { connection.send(.error(LineError(.noPress, "no"), tag: "@\(number)", [:])) }
    broker.state.withLock { $0.connect(with: .five, at: MonotonicInstant(nanoseconds: 0)) }
    connection.resynchronize()
    let ids = broker.state.withLock(\.waiting).map { JSONValue($0.payload)?["id"]?.string }
    #expect(ids == (2...17).map { "\($0)" })
  }

  @Test func `a packet of 1 MiB is not too long, and one more byte is`() throws {
    var pair: [Int32] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let stream = try BrokerStream(at: pair[0])
    defer { for end in pair { close(end) } }
    var portion = [UInt8](repeating: 0, count: 16_384)
    func pass(_ count: Int) {
      // The counts are at most that of the array.
      #expect(unsafe write(pair[1], portion, count) == count)
      stream.receive()
      #expect(unsafe read(pair[0], &portion, count) == count)
    }
    for _ in 0..<64 { pass(16_384) }
    #expect(!stream.isPacketTooLong)
    pass(1)
    #expect(stream.isPacketTooLong)
    stream.notePacket()
    #expect(!stream.isPacketTooLong)
  }
}
