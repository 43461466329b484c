import Authorization
import Base
@testable import Cloaking
import ControlledBoard
import Disclosure
import Foundation
import GNSS
@testable import Gateway
import Hardware
import LineProtocol
import NIOPosix
import OneFixClient
import Ports
import RecordingClients
import Sentences
import Serving
import SimulatedHardware
import StateStore
import StoreScenario
import Synchronization
import TemporaryFiles
import Testing

/// The error of a test that does not find a value.
struct Missing: Error {}

/// The app of most tests.
let parks = AppID("parks")!

/// Returns a sentence with its checksum and line end, as a receiver sends it.
func nmea(_ content: String) -> [UInt8] { Array(nmeaSentence(content).utf8) }

/// A gateway in this process, with a board that a test controls, and with the sockets of apps and owners.
final class Bench: Sendable {
  /// The device key and the key of the cloak.
  static let key = [UInt8](repeating: 7, count: 32)

  let clock: BenchClock
  let gateway: Gateway
  let button: SimulatedButton
  let indicator = SimulatedIndicator()
  let receiver: FedReceiver
  let book = RecordingLog()
  let directory: TemporaryDirectory
  private let wanderer: Mutex<Wanderer>
  /// The recording exists longer than the store.
  private let disk: Recording?
  private let tasks: [Task<Void, any Error>]

  var folder: String { directory.path }

  /// - Parameters:
  ///   - records: The rights of the apps, which are saved before the start.
  ///   - directory: The directory of the state, for a gateway that starts again with the same state.
  ///   - port: Returns the port of the receiver, with the clock of the gateway. Nil for the receiver of the bench.
  ///   - disk: The disk that the store writes to.
  ///   - position: The position whose node is in force, because an earlier run evaluated it.
  ///   - unavailable: The reason why there is no cloak.
  ///   - buttons: Returns the buttons of the board, with the button and the clock of the bench. Nil for the button of the
  ///     bench alone.
  ///   - authenticationTime: The time of the machine's clock in which a client must authenticate. A busy machine can let
  ///     more than the 10 s of the daemon pass before a client reads its first line.
  ///   - warnings: The codes of the faults that the daemon found at its start.
  ///   - boot: The identifier of the boot of the machine.
  ///   - isWallClockSet: Whether the wall clock was right at the start.
  ///   - reload: Returns the configuration that the command `RELOAD` reads.
  ///   - tellStatus: Receives each status line, with its time.
  init(
    _ records: [AppRecord] = [], in directory: TemporaryDirectory? = nil, allowsRegions: Bool = true,
    profile: IndicatorProfile = IndicatorProfile(), power: RecordingPowerSwitch? = nil,
    buzzer: GatewayDependencies.Buzzer? = nil,
    port: ((BenchClock) -> any BytePort)? = nil, disk: Recording? = nil, node position: Coordinate? = nil,
    policy: Policy = Policy(), cloak unavailable: CloakUnavailable? = nil, clocks: [any ClockOutput] = [],
    buttons: ((SimulatedButton, BenchClock) -> [GatewayDependencies.Button])? = nil,
    authenticationTime: Duration = .seconds(3600), warnings: [String] = [],
    boot: String = "1", isWallClockSet: Bool = false, reload: (@Sendable () throws -> Reconfiguration)? = nil,
    tellStatus: (@Sendable (String, MonotonicInstant) -> Bool)? = nil
  ) async throws {
    let clock = await BenchClock()
    self.clock = clock
    wanderer = Mutex(Wanderer(at: clock.now))
    button = SimulatedButton(clock: clock.passing)
    receiver = FedReceiver(clock)
    self.disk = disk
    let folder = try directory ?? TemporaryDirectory()
    self.directory = folder
    func open() throws -> StateStore { try Self.store(in: folder, boot: boot, clock.reading) }
    let store = try disk.map { try $0.record(open) } ?? open()
    for record in records { try store.save(record, now: clock.reading) }
    var setup = GatewayDependencies(
      names: ("bench", "simulated", "0", boot),
      buttons: buttons?(button, clock) ?? [.init(profile: ButtonProfile(name: "main"), input: button)],
      light: (indicator, profile), receiver: .init(.bytes(port?(clock) ?? receiver), power: power),
      simulatedPressRefusal: nil)
    (setup.policy, setup.clocks, setup.warnings) = (policy, clocks, warnings)
    (setup.buzzer, setup.reload) = (buzzer, reload)
    setup.allowsRegions = allowsRegions
    setup.isWallClockSet = isWallClockSet
    if let tellStatus { setup.tellStatus = { line in tellStatus(line, clock.now) } }
    let logger = book.logger
    let cloak = try Self.cloak(at: position, clock.reading)
    let gateway = try Gateway(
      setup, store: store, copyPath: folder.path("unsaved"), cloak: unavailable.map { .failure($0) } ?? .success(cloak),
      eventLoop: clock.eventLoop, loggers: Loggers { _ in logger }, clock: { clock.reading })
    self.gateway = gateway
    var tasks = [Task { try await gateway.run() }]
    try await gateway.becomeReady()
    let apps = Listener.apps(path: folder.path("s"), Reloadable(IdentityRules(apps: [], anyAppUID: getuid())))
    for listener in [apps, .owners(path: folder.path("o"))] {
      let server = try await LineServer(
        listener, for: gateway, limit: 64, authenticationTime: authenticationTime, group: .singleton, logger: logger)
      tasks.append(Task { try await server.run(farewell: { LineError(.shuttingDown, "over") }) })
    }
    self.tasks = tasks
  }

  /// Opens the state of a bench that has not started yet, or has ended.
  static func store(
    in directory: TemporaryDirectory, boot: String = "1", _ now: ClockReading
  ) throws -> StateStore {
    let key = try #require(DeviceKey(bytes: key))
    return try StateStore(
      directory: directory.path("state"), key: key, anchor: directory.path("anchor"), boot: boot, now: now)
  }

  /// Reads the saved state after the end of the gateway.
  func stored<Value>(_ read: (StateStore) throws -> Value) throws -> Value {
    let store = try Self.store(in: directory, clock.reading)
    defer { store.close() }
    return try read(store)
  }

  private static func cloak(at position: Coordinate?, _ now: ClockReading) throws -> Cloak {
    var cloak = Cloak(key: try CloakKey(deviceKey: key), memory: Cloak.Memory(), boot: "1")
    if let position { _ = cloak.reduce(position, at: now.monotonic, utc: now.utc) }
    var memory = cloak.memory
    // Otherwise the node would be in force from the next slot on.
    memory.inForce = memory.node
    return Cloak(key: try CloakKey(deviceKey: key), memory: memory, boot: "1")
  }

  /// Runs the body of a test, and then stops the bench, also after an error.
  func run(_ body: (Bench) async throws -> Void) async throws {
    do { try await body(self) } catch {
      await stop()
      throw error
    }
    await stop()
  }

  /// Runs the body of a test with the app parks.
  func run(_ body: (Bench, Talker) async throws -> Void) async throws {
    try await run { bench in try await body(bench, try await bench.app()) }
  }

  /// Runs the body of a test with the app parks and an owner.
  func run(_ body: (Bench, Talker, Talker) async throws -> Void) async throws {
    try await run { bench, app in try await body(bench, app, try await bench.owner()) }
  }

  /// Notifies all connections that the gateway stops.
  func stopServing() async {
    for task in tasks.dropFirst() {
      task.cancel()
      _ = await task.result
    }
  }

  func stop() async {
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    await gateway.stop()
    await clock.stop()
  }

  // MARK: Clients

  func client(_ app: String) async throws -> OneFixClient {
    try await OneFixClient.connect(.unix(folder + "/s"), app: app)
  }

  /// Connects an app.
  /// - Parameter more: More arguments of HELLO.
  func app(_ name: String = "parks", _ more: String = "") async throws -> Talker {
    try await Talker.connect(folder + "/s", "HELLO 1 app=\(name) keepalive=0" + (more.isEmpty ? "" : " \(more)"))
  }

  /// Closes the connection of the only client without BYE, and returns when the gateway has noticed it.
  func loseConnection(of client: Talker) async throws {
    try await client.hangUp()
    await until { $0.isEveryClientAway }
  }

  func owner() async throws -> Talker {
    let owner = try await Talker.connect(folder + "/o", "HELLO 1")
    _ = try await owner.reply(to: "SUB owner/# news")
    return owner
  }

  // MARK: Events

  /// Presses as soon as the app has waited for 1 s, so that the press can serve it.
  func pressInTime() async {
    await clock.pass(.milliseconds(1020))
    _ = await button.press(for: .milliseconds(40))
  }

  /// Returns when the condition holds.
  func until(_ isSo: (isolated Gateway) -> Bool) async {
    for await _ in await gateway.changes() where await isSo(gateway) { return }
  }

  /// Lets time pass until the condition holds.
  func pass(until isSo: (isolated Gateway) -> Bool) async {
    while await !isSo(gateway) { await clock.pass(.milliseconds(100)) }
  }

  /// Moves the receiver to a position, and returns when the gateway has processed the fixes.
  func stand(north metres: Double) async {
    for said in wanderer.withLock({ $0.stand(north: metres) }) {
      await gateway.receive(.bytes(said.bytes, at: said.arrived))
    }
    // Waits until the last epoch has ended and the gateway has noticed the silence of the receiver.
    await until { $0.isReceiverIdle }
  }

  /// Sends the receiver's bytes of one second, and lets the second pass.
  func receive(_ bytes: [UInt8]) async {
    await gateway.receive(.bytes(bytes, at: clock.now))
    await clock.pass(.seconds(1))
  }

  // MARK: State

  /// Returns the side of a region in the owners' status.
  func state(of id: String = "home", _ owner: Talker) async throws -> String? {
    let lines = try await owner.list("REGIONS")
    return lines.first { $0.contains(#""id":"\#(id)""#) }?.firstMatch(of: /"state":"(\w+)"/).map { String($0.1) }
  }

  var log: [LogEntry] { get async { await gateway.snapshot(entries: 100).log } }

  /// The answers to prompts in the log, oldest first.
  var answers: [AnswerEntry] {
    get async { await log.compactMap { if case .answer(let answer) = $0.event { answer } else { nil } } }
  }

  /// The number of one-time fixes in the log.
  var disclosureCount: Int {
    get async { await log.count { if case .disclosure = $0.event { true } else { false } } }
  }

  /// The outcomes of disclosures in the log, oldest first.
  var outcomes: [DisclosureOutcome] {
    get async { await log.compactMap { if case .outcome(let outcome, _) = $0.event { outcome } else { nil } } }
  }
}

/// Returns a record with the answers of a user.
func record(
  _ status: AuthorizationStatus, of app: String = "parks", provisional: Bool = false, accuracy: FixAccuracy = .full
) -> AppRecord {
  var record = AppRecord(app: AppID(app)!, status: status, accuracy: accuracy)
  record.isProvisional = provisional
  record.hasAskedUpgrade = provisional
  return record
}

/// Returns the records of apps that a user has confirmed with the button.
func confirmed(_ apps: [String] = ["parks"]) -> [AppRecord] {
  apps.map { app in
    var record = AppRecord(app: AppID(app)!)
    record.isButtonConfirmed = true
    return record
  }
}

extension Talker {
  /// Registers a region of 200 m around the centre.
  @discardableResult
  func register(_ id: String = "home", radius: Int = 200, text: String = "Buy milk") async throws -> String {
    try await reply(to: "REGION ADD \(id) 47.3766666667 8.5416666667 \(radius) enter,exit :\(text)")
  }
}
