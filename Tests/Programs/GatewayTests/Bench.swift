import Authorization
import Base
import Cloaking
import ControlledBoard
import Disclosure
import Foundation
import Gateway
import Hardware
import LineProtocol
import Logging
import NIOPosix
import OneFixClient
import OperatingSystem
import Ports
import RecordingClients
import Sentences
import Serving
import SimulatedHardware
import StateStore
import StoreScenario
import Testing

/// Returns a sentence with its checksum and line end, as a receiver sends it.
func nmea(_ content: String) -> [UInt8] { Array(nmeaSentence(content).utf8) }

/// A gateway in this process, with a board that a test controls.
final class Bench: Sendable {
  let clock: BenchClock
  let gateway: Gateway
  let button: SimulatedButton
  let indicator = SimulatedIndicator()
  let receiver: FedReceiver
  let folder: String
  /// The recording exists longer than the store.
  private let disk: Recording?
  private let tasks: [Task<Void, any Error>]

  /// - Parameters:
  ///   - port: Returns the port of the receiver, with the clock of the gateway. Nil for the receiver of the bench.
  ///   - disk: The disk that the store writes to.
  ///   - buttons: Returns the buttons of the board, with the button and the clock of the bench. Nil for the button of the
  ///     bench alone.
  ///   - authenticationTime: The time of the machine's clock in which a client must authenticate. A busy machine can let
  ///     more than the 10 s of the daemon pass before a client reads its first line.
  ///   - warnings: The codes of the faults that the daemon found at its start.
  ///   - tellStatus: Receives each status line, with its time.
  init(
    confirmed: [String] = [], profile: IndicatorProfile = IndicatorProfile(), power: RecordingPowerSwitch? = nil,
    port: ((BenchClock) -> any BytePort)? = nil, disk: Recording? = nil, policy: Policy = Policy(),
    cloak unavailable: CloakUnavailable? = nil, clocks: [any ClockOutput] = [],
    buttons: ((SimulatedButton, BenchClock) -> [GatewayDependencies.Button])? = nil,
    authenticationTime: Duration = .seconds(3600), warnings: [String] = [], status: [String: String] = [:],
    tellStatus: (@Sendable (String, MonotonicInstant) -> Bool)? = nil
  ) async throws {
    let clock = await BenchClock()
    self.clock = clock
    button = SimulatedButton(clock: clock.passing)
    receiver = FedReceiver(clock)
    self.disk = disk
    // The path of a socket has at most 107 bytes.
    folder = "/tmp/onefix-gateway-\(UInt64.random(in: .min ... .max))"
    let key = try #require(DeviceKey(bytes: Array(repeating: 7, count: 32)))
    let (state, anchor) = (folder + "/state", folder + "/anchor")
    func open() throws -> StateStore {
      try StateStore(directory: state, key: key, anchor: anchor, now: clock.reading)
    }
    let store = try disk.map { try $0.record(open) } ?? open()
    for name in confirmed {
      var record = AppRecord(app: try #require(AppID(name)))
      record.isButtonConfirmed = true
      try store.save(record, now: clock.reading)
    }
    let port: any BytePort = port?(clock) ?? receiver
    var tell: (@Sendable (String) -> Bool)?
    if let tellStatus { tell = { line in tellStatus(line, clock.now) } }
    let setup = GatewayDependencies(
      names: ("bench", "simulated", "0", "1"),
      buttons: buttons?(button, clock) ?? [.init(profile: ButtonProfile(name: "main"), input: button)],
      light: (indicator, profile), receiver: .init(.bytes(port), power: power),
      clocks: clocks, simulatedPressRefusal: nil, policy: policy, warnings: warnings, status: { status },
      tellStatus: tell)
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let cloak = Cloak(key: try CloakKey(deviceKey: Array(repeating: 7, count: 32)), memory: Cloak.Memory(), boot: "1")
    let gateway = try Gateway(
      setup, store: store, cloak: unavailable.map { .failure($0) } ?? .success(cloak), eventLoop: clock.eventLoop,
      loggers: Loggers { _ in logger }, clock: { clock.reading })
    self.gateway = gateway
    let board = Task { try await gateway.run() }
    try await gateway.becomeReady()
    let server = try await LineServer(
      .apps(path: folder + "/s", Reloadable(IdentityRules(apps: [], anyAppUID: getuid()))), for: gateway, limit: 64,
      authenticationTime: authenticationTime, group: .singleton, logger: logger)
    let socket = Task { try await server.run(farewell: { LineError(.shuttingDown, "over") }) }
    tasks = [board, socket]
  }

  /// Runs the body of a test with a bench, and then stops the bench, also after an error.
  static func with(
    confirmed: [String] = ["parks"], profile: IndicatorProfile = IndicatorProfile(),
    power: RecordingPowerSwitch? = nil, port: ((BenchClock) -> any BytePort)? = nil, policy: Policy = Policy(),
    clocks: [any ClockOutput] = [], buttons: ((SimulatedButton, BenchClock) -> [GatewayDependencies.Button])? = nil,
    _ body: (Bench) async throws -> Void
  ) async throws {
    let bench = try await Bench(
      confirmed: confirmed, profile: profile, power: power, port: port, policy: policy, clocks: clocks,
      buttons: buttons)
    do { try await body(bench) } catch {
      await bench.stop()
      throw error
    }
    await bench.stop()
  }

  func client(_ app: String) async throws -> OneFixClient {
    try await OneFixClient.connect(.unix(folder + "/s"), app: app)
  }

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
    try? FileManager.default.removeItem(atPath: folder)
  }
}
