import Authorization
import Base
import ControlledBoard
import GNSS
import Hardware
import LineProtocol
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Synchronization
import TemporaryFiles
import Testing

@testable import Gateway

/// The connection of a bridge, which records its calls.
final class RecordedConnection: ClientConnection, OutputSink {
  struct Form: PublicationForm {
    var name = "mqtt://broker parks"
    let address = "mqtt://broker"
    var expires = Duration.seconds(60)
    var mostWaiting = 2
    var canEncrypt = true
    var hasPositionsOnly = false
    /// Whether the text of a fix ends with its time.
    var tellsTime = false

    struct Fault: Error {}

    func messages(_ fix: PublishedFix) throws -> [Publication.Message] {
      guard canEncrypt else { throw Fault() }
      let time = tellsTime ? " \(fix.time?.iso8601 ?? "unknown")" : ""
      return [.init(topic: "fix", payload: Array("\(fix.id) \(fix.report.accuracy)\(time)".utf8))]
    }
  }

  enum Given: Sendable, Equatable {
    case line(String)
    case fix(Int64, String)
    case recall
  }

  let number = IDGenerator.connections.next()
  let role = ClientRole.app
  let transport = Transport.mqtt
  let peer = Peer.output("mqtt://broker")
  let isFull = false
  let form: any PublicationForm
  var sink: (any OutputSink)? { self }
  private let given: AsyncStream<Given>
  private let giving: AsyncStream<Given>.Continuation

  init(_ form: Form = Form()) {
    self.form = form
    (given, giving) = AsyncStream.makeStream()
  }

  func send(once message: ServerLine.Message, until: MonotonicInstant) { Issue.record("a fix went past the outbox") }

  func send(update line: UpdateLine) { Issue.record("an update went past the outbox") }

  func send(_ line: ServerLine) { giving.yield(.line(line.line)) }

  func publish(_ publication: Publication, until: MonotonicInstant) {
    giving.yield(.fix(publication.number, String(decoding: publication.messages[0].payload, as: UTF8.self)))
  }

  func recall(_ kinds: FixKinds) { giving.yield(.recall) }

  var isConnected: Bool { true }

  func report(_ crossing: RegionCrossing, until: MonotonicInstant) { giving.yield(.line("region \(crossing.region)")) }

  func refuse(_ error: LineError, tag: String?) { send(.error(error, tag: tag, [:])) }

  /// Returns the next call that the closure accepts, and skips the calls before it.
  func next<Found>(_ find: (Given) -> Found?) async throws -> Found {
    for await one in given { if let found = find(one) { return found } }
    throw CancellationError()
  }

  func fix() async throws -> (number: Int64, text: String) {
    try await next { if case .fix(let number, let text) = $0 { (number, text) } else { nil } }
  }

  func line(_ beginning: String) async throws -> String {
    try await next { if case .line(let line) = $0, line.hasPrefix(beginning) { line } else { nil } }
  }
}

extension Gateway {
  /// Notes that the broker of a bridge is connected.
  func connect(_ bridge: RecordedConnection) { connected(bridge, with: .five, awaitingSubscriberFor: nil) }
}

/// Runs the body of a test with a bridge whose broker is not available yet.
private func withBridge(
  _ form: RecordedConnection.Form = .init(), _ body: (Bench, RecordedConnection) async throws -> Void
) async throws {
  try await Bench(confirmed()).run { bench in
    let connection = RecordedConnection(form)
    await bench.gateway.open(on: connection)
    try await body(bench, connection)
  }
}

/// Sends a request that is granted.
private func grant(
  _ bench: Bench, _ connection: RecordedConnection, _ id: String, second: Int
) async throws {
  await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@\(id)", on: connection)
  _ = try await connection.line("+OK @\(id)")
  await bench.pressInTime()
  await bench.receiver.send(second: second)
}

@Test(.patient)
func `a reload that removes an app ends its output, and a reload with the app again says that a restart is needed`()
  async throws
{
  let count = Mutex(0)
  let reload: @Sendable () -> Reconfiguration = {
    let isConfigured = count.withLock { count in
      count += 1
      return count == 2
    }
    return Reconfiguration(
      policy: Policy { $0.authorization.newAppAccuracy = isConfigured ? [parks: .full] : [:] }, waiting: [],
      admits: { _, _, _ in isConfigured }, putInForce: {})
  }
  try await Bench(confirmed(), reload: reload).run { bench in
    let owner = try await bench.owner()
    let connection = RecordedConnection()
    await bench.gateway.open(on: connection)
    #expect(try await owner.reply(to: "STATUS").contains(" mqtt-1="))
    #expect(try await owner.reply(to: "RELOAD") == "+OK")
    #expect(try await connection.line("-ERR").hasPrefix("-ERR 902 "))
    #expect(try await !owner.reply(to: "STATUS").contains(" mqtt-1="))
    #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=app")
    #expect(await bench.gateway.currentStatus().hasSuffix("; from the next start on: app"))
  }
}

@Test(.patient)
func `a waiting name that the owner denies is erased, also if the broker already has it`() async throws {
  for isConnected in [true, false] {
    try await withBridge { bench, connection in
      if isConnected { await bench.gateway.connect(connection) }
      let owner = RecordingConnection(role: .owner)
      let here = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
      let commands: [PlaceCommand] = [
        .add(name: "harbour", radius: 300, centre: here), .allow(app: "parks", names: ["harbour"]),
      ]
      for command in commands { await bench.gateway.perform(.owner(.place(command)), tag: nil, on: owner) }
      await bench.gateway.perform(.requestOnce(OnceRequest(accuracy: .place)), tag: "@a", on: connection)
      await bench.pressInTime()
      // A name needs fixes over 10 s.
      await bench.receiver.send(second: 1)
      await bench.clock.pass(.milliseconds(10_500))
      await bench.receiver.send(second: 12)
      if isConnected { #expect(try await connection.fix().text == "a place") }
      await bench.until { !$0.snapshot(entries: 20).log.isEmpty }
      await bench.gateway.perform(
        .owner(.place(.deny(app: "parks", names: ["harbour"]))), tag: nil, on: owner)
      #expect(await bench.outcomes == [isConnected ? .lost : .erased])
      if isConnected { _ = try await connection.next { $0 == .recall ? true : nil } }
      await bench.gateway.connect(connection)
      #expect(await bench.log.count == 2)
    }
  }
}

@Test(.patient)
func `a waiting fix is delivered only while the indicator can be seen`() async throws {
  try await withBridge { bench, connection in
    try await grant(bench, connection, "a", second: 1)
    await bench.until { !$0.snapshot(entries: 20).log.isEmpty }
    bench.indicator.fault = .refusing(HardwareError(.failed, "drive", "the LED", cause: "broken"))
    // The indication of the press is over, and the next one cannot be shown.
    await bench.clock.pass(.seconds(3))
    #expect(await bench.gateway.snapshot(entries: 1).indication == .off)
    await bench.gateway.connect(connection)
    await bench.clock.pass(.seconds(10))
    #expect(await bench.outcomes == [])
    bench.indicator.fault = nil
    await bench.clock.pass(.seconds(5))
    #expect(try await connection.fix().text == "a full")
    #expect(await bench.outcomes == [.postponed])
  }
}

@Test(.patient)
func `a fix that cannot be encrypted is an internal error, and not a fault of the log`() async throws {
  try await withBridge(.init(canEncrypt: false)) { bench, connection in
    try await grant(bench, connection, "a", second: 1)
    #expect(try await connection.line("-ERR").hasPrefix("-ERR 500 internal @a :the gateway cannot encrypt the fix"))
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient)
func `the time of a disconnection is unknown until the clock is set, and then it is right`() async throws {
  try await withBridge { bench, connection in
    let now = bench.clock.reading.utc
    bench.clock.set(UTCTime(nanosecondsSince1970: 12_000_000_000))
    await bench.gateway.connect(connection)
    await bench.gateway.disconnected(connection)
    let unset = await bench.gateway.ownerStatus
    #expect(unset["mqtt-1-state"] == "disconnected" && unset["mqtt-1-since"] == nil)
    #expect(unset["warnings"] == "clock-unset")
    await bench.clock.pass(.seconds(60))
    bench.clock.set(now)
    let set = await bench.gateway.ownerStatus
    let minute = ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: now)
    let since = minute.utc(at: MonotonicInstant(nanoseconds: -60_000_000_000))
    #expect(set["mqtt-1-since"].map { $0.prefix(19) } == since.iso8601.prefix(19))
    #expect(set["warnings"] == nil)
  }
}

@Test(
  .patient,
  arguments: [
    (nil, "2026-11-28T12:05:"), ("1970-01-01T00:00:12Z", "unknown"),
    // The board has no battery, and begins with a time before the end of the first run.
    ("2026-11-28T12:03:50Z", "unknown"),
  ] as [(String?, String)])
func `a fix of a receiver without dates has the time of the machine, unless the clock of the machine is not set`(
  clock: String?, time: String
) async throws {
  let directory = try TemporaryDirectory()
  try await Bench(confirmed(), in: directory).run { (_: Bench) in }
  try await Bench(in: directory).run { bench in
    if let clock { bench.clock.set(try #require(UTCTime(iso8601: clock))) }
    let connection = RecordedConnection(.init(tellsTime: true))
    await bench.gateway.open(on: connection)
    await bench.gateway.connect(connection)
    try await grant(bench, connection, "a", second: 1)
    #expect(try await connection.fix().text.hasPrefix("a full \(time)"))
    #expect(await bench.gateway.ownerStatus["warnings"] == (clock == nil ? nil : "clock-unset"))
  }
}

/// Runs the body of a test with outputs of the app parks that get a fix by each press, and that are connected.
private func withOutputs(
  _ records: [AppRecord] = confirmed(["parks", "other"]), _ forms: [RecordedConnection.Form] = [.init()],
  policy: Policy = Policy(), _ body: (Bench, [RecordedConnection]) async throws -> Void
) async throws {
  try await Bench(records, policy: policy).run { bench in
    var outputs: [RecordedConnection] = []
    for form in forms {
      let output = RecordedConnection(form)
      await bench.gateway.open(on: output)
      await bench.gateway.open(on: EachPressConnection(to: output, over: .mqtt, peer: output.peer))
      await bench.gateway.connect(output)
      outputs.append(output)
    }
    try await body(bench, outputs)
  }
}

extension Gateway {
  /// Notes that the broker has a fix, and can take the next one.
  fileprivate func settle(_ number: Int64, on output: RecordedConnection) {
    acknowledged(number, on: output)
    ready(output)
  }
}

extension Bench {
  /// Presses after the rest between two fixes, and sends the epoch of the press.
  fileprivate func pressOnce(second: Int) async {
    await clock.pass(.seconds(2))
    await pressInTime()
    await receiver.send(second: second)
  }

  /// Returns the counts of requests without a fix, as owners see them.
  fileprivate func refusals() async throws -> [String] {
    let owner = try await owner()
    return try await owner.list("COUNTS")
  }

  /// The disclosures in the log, oldest first.
  fileprivate var disclosures: [AppID] {
    get async { await log.compactMap { if case .disclosure(let entry) = $0.event { entry.app } else { nil } } }
  }
}

@Test(.patient)
func `each press that no app waits for gives one fix to the output, with an entry in the log`() async throws {
  try await withOutputs { bench, outputs in
    for second in [3, 7, 11] {
      await bench.pressOnce(second: second)
      let fix = try await outputs[0].fix()
      #expect(fix.text.hasSuffix(" full"))
      await bench.gateway.settle(fix.number, on: outputs[0])
    }
    let owner = try await bench.owner()
    #expect(try await owner.reply(to: "STATUS").contains(" last-press-app=parks last-press-to=mqtt://broker "))
    #expect(await bench.disclosures == [parks, parks, parks])
    #expect(await bench.outcomes == [.acknowledged, .acknowledged, .acknowledged])
    #expect(try await bench.refusals() == [])
  }
}

@Test(.patient)
func `the status says that the output got the fix of a press only when the output has confirmed the fix`() async throws
{
  try await withOutputs { bench, outputs in
    await bench.pressOnce(second: 3)
    let fix = try await outputs[0].fix()
    let given = await bench.gateway.ownerStatus
    #expect(given["last-press"] == "acquiring" && given["last-press-app"] == "parks" && given["last-press-to"] == nil)
    await bench.gateway.settle(fix.number, on: outputs[0])
    let confirmed = await bench.gateway.ownerStatus
    #expect(confirmed["last-press"] == "served" && confirmed["last-press-to"] == "mqtt://broker")
  }
}

@Test(.patient)
func `without a press the output gets nothing, also under a standing authorization`() async throws {
  try await withOutputs([record(.always)]) { bench, outputs in
    // The request of an output lasts longer than a day.
    await bench.clock.pass(.seconds(90_000))
    #expect(await bench.gateway.ownerStatus["next"] == "parks")
    for second in 1...4 { await bench.receiver.send(second: second) }
    #expect(await bench.disclosures == [])
    await bench.pressOnce(second: 8)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `a press serves the app that asked, and the next press serves the output`() async throws {
  try await withOutputs { bench, outputs in
    let app = try await bench.app("other")
    try await app.reply(to: "REQ once")
    let waiting = try await bench.owner().list("APPS").filter { $0.contains(#""armed":true"#) }
    #expect(waiting.map { $0.contains(#""each-press":true"#) } == [false, true])
    await bench.pressOnce(second: 4)
    _ = try await app.next("MSG fix/once")
    #expect(await bench.disclosures == [AppID("other")])
    await bench.pressOnce(second: 8)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures.last == parks)
  }
}

@Test(.patient)
func `while an app is denied, a press gives its output nothing, until an owner allows the app`() async throws {
  try await withOutputs { bench, outputs in
    await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    #expect(await bench.gateway.ownerStatus["next"] == nil)
    await bench.pressOnce(second: 3)
    #expect(await bench.disclosures == [])
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse)))
    await bench.pressOnce(second: 7)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `while the gateway is locked, a press gives the output nothing; after the unlock it does`() async throws {
  try await withOutputs { bench, outputs in
    await bench.gateway.handle(.lockOrdered)
    await bench.pressOnce(second: 3)
    #expect(await bench.disclosures == [])
    _ = await bench.button.press(for: .milliseconds(3200))
    #expect(await bench.gateway.ownerStatus["locked"] == "false")
    // The end of a request that the gateway made itself is no refusal of the app.
    #expect(try await bench.refusals() == [])
    await bench.pressOnce(second: 12)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `while the outbox of the output is full, the output has no request, and no refusal is counted`() async throws {
  try await withOutputs(confirmed(), [.init(mostWaiting: 1)]) { bench, outputs in
    await bench.gateway.disconnected(outputs[0])
    await bench.pressOnce(second: 3)
    await bench.until { $0.snapshot(entries: 20).log.count == 1 }
    for second in [7, 11] {
      await bench.pressOnce(second: second)
      let status = await bench.gateway.ownerStatus
      #expect(status["last-press"] == "output-full" && status["last-press-app"] == "parks")
      #expect(status["last-press-failed"] == "mqtt://broker" && status["mqtt-1-full"] == "true")
    }
    #expect(bench.book.all.count { $0.hasPrefix("a press gave an output no fix: ") } == 2)
    #expect(await bench.disclosures == [parks])
    #expect(await bench.gateway.ownerStatus["next"] == nil)
    #expect(try await bench.refusals() == [])
    // A request of the app itself over the broker is refused.
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@b", on: outputs[0])
    #expect(try await outputs[0].line("-ERR").hasPrefix("-ERR 431 too-many @b "))
    // The broker comes back, and the fix arrives once.
    await bench.gateway.connect(outputs[0])
    let fix = try await outputs[0].fix()
    await bench.gateway.settle(fix.number, on: outputs[0])
    #expect(await bench.gateway.ownerStatus["mqtt-1-full"] == nil)
    await bench.pressOnce(second: 15)
    #expect(try await outputs[0].fix().number != fix.number)
  }
}

@Test(.patient)
func `a press gives an app with names of places nothing at an output with positions only, which waits again`()
  async throws
{
  try await withOutputs([record(.always, accuracy: .place)], [.init(hasPositionsOnly: true)]) { bench, _ in
    for second in [3, 7] {
      await bench.pressOnce(second: second)
      await bench.pass { $0.grantCount == 0 }
      #expect(await bench.gateway.ownerStatus["next"] == "parks")
    }
    let refusals = try await bench.refusals()
    #expect(await bench.disclosures == [] && refusals == [])
  }
}
