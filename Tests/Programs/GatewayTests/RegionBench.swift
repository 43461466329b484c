import Authorization
import Base
import Cloaking
import ControlledBoard
import Disclosure
import Foundation
import GNSS
@testable import Gateway
import Hardware
import LineProtocol
import NIOPosix
import OperatingSystem
import Ports
import RecordingClients
import Serving
import SimulatedHardware
import StateStore
import StoreScenario
import Synchronization
import Testing

/// The data of a receiver that moves along a meridian, with the time of its fixes. Between two positions there are no
/// data for a minute, so that the distance is plausible. The second fix at a position is eleven seconds after the first
/// one, because fixes must agree for that time before a side counts. Tests do not wait for this time.
struct Wanderer {
  private var seconds = 0
  private let start: MonotonicInstant

  init(at now: MonotonicInstant) { start = now - .seconds(40_000) }

  /// Returns two fixes at a distance in metres north of the centre of every test's regions.
  mutating func stand(north metres: Double) -> [(bytes: [UInt8], arrived: MonotonicInstant)] {
    // A minute of latitude is 1853 m there.
    let minutes = String(format: "%08.5f", 22.6 + metres / 1853)
    return [60, 11].map { step in
      seconds += step
      let time = String(format: "%02d%02d%02d.00", 7 + seconds / 3600, seconds / 60 % 60, seconds % 60)
      let body = "GNGGA,\(time),47\(minutes),N,00832.5000,E,1,11,0.8,408.2,M,47.3,M,,"
      return (nmea(body), start + .seconds(seconds))
    }
  }
}

/// A port without data.
struct SilentReceiver: BytePort {
  let name = "silent"
  let isLive = false

  func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) async throws {
    await opened()
    // The stream ends when the surrounding task is cancelled.
    let (silence, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in silence {}
    end.finish()
  }
}

/// A gateway with regions enabled, and with the sockets of apps and owners.
final class RegionBench: Sendable {
  let clock: BenchClock
  let gateway: Gateway
  private let wanderer: Mutex<Wanderer>
  let indicator = SimulatedIndicator()
  let button: SimulatedButton
  let book = RecordingLog()
  let folder: String
  /// The recording exists longer than the store.
  private let disk: Recording?
  private let tasks: [Task<Void, any Error>]

  static let key = Array<UInt8>(repeating: 7, count: 32)

  /// - Parameters:
  ///   - records: The records of the apps. Nil keeps those of an earlier bench in the folder.
  ///   - restricted: The apps to which the configuration forbids regions.
  ///   - position: The position at which an earlier run evaluated the node in force. Nil if there is no node.
  init(
    _ records: [AppRecord]?, in folder: String? = nil, allowsRegions: Bool = true, restricted: [String] = [],
    power: RecordingPowerSwitch? = nil, disk: Recording? = nil, node position: Coordinate? = nil,
    button profile: ButtonProfile = ButtonProfile(name: "main")
  ) async throws {
    let clock = await BenchClock()
    self.clock = clock
    wanderer = Mutex(Wanderer(at: clock.now))
    button = SimulatedButton(clock: clock.passing)
    // The path of a socket has at most 107 bytes.
    let folder = folder ?? "/tmp/onefix-regions-\(UInt64.random(in: .min ... .max))"
    self.folder = folder
    self.disk = disk
    let key = try #require(DeviceKey(bytes: Self.key))
    func open() throws -> StateStore {
      try StateStore(directory: folder + "/state", key: key, now: clock.reading)
    }
    let store = try disk.map { try $0.record(open) } ?? open()
    for record in records ?? [] { try store.save(record, now: clock.reading) }
    var configuration = Authorization.Configuration()
    configuration.restrictedApps = Set(restricted.compactMap { AppID($0) })
    let setup = GatewayDependencies(
      names: ("bench", "simulated", "0", "1"),
      buttons: [.init(profile: profile, input: button)], light: (indicator, IndicatorProfile()),
      receiver: .init(.bytes(SilentReceiver()), power: power), simulatedPressRefusal: nil,
      policy: Policy(authorization: configuration), allowsRegions: allowsRegions)
    let cloak = try Self.cloak(at: position, clock.reading)
    let logger = book.logger
    let gateway = try Gateway(
      setup, store: store, copyPath: folder + "/unsaved", cloak: .success(cloak), eventLoop: clock.eventLoop,
      loggers: Loggers { _ in logger },
      clock: { clock.reading })
    self.gateway = gateway
    let board = Task { try await gateway.run() }
    try await gateway.becomeReady()
    var tasks = [board]
    let apps = Listener.apps(path: "\(folder)/s", Reloadable(IdentityRules(apps: [], anyAppUID: getuid())))
    for listener in [apps, .owners(path: "\(folder)/o")] {
      let server = try await LineServer(
        listener, for: gateway, limit: 64, authenticationTime: .seconds(3600), group: .singleton, logger: logger)
      tasks.append(Task { try await server.run(farewell: { LineError(.shuttingDown, "over") }) })
    }
    self.tasks = tasks
  }

  /// Runs the body of a test with a bench, and then removes its files.
  static func with(
    _ records: [AppRecord], allowsRegions: Bool = true, restricted: [String] = [], power: RecordingPowerSwitch? = nil,
    disk: Recording? = nil, node position: Coordinate? = nil, button: ButtonProfile = ButtonProfile(name: "main"),
    _ body: (RegionBench) async throws -> Void
  ) async throws {
    let bench = try await RegionBench(
      records, allowsRegions: allowsRegions, restricted: restricted, power: power, disk: disk, node: position,
      button: button)
    defer { try? FileManager.default.removeItem(atPath: bench.folder) }
    do { try await body(bench) } catch {
      await bench.stop()
      throw error
    }
    await bench.stop()
  }

  /// Returns a cloak with a node in force that an earlier run evaluated.
  private static func cloak(at position: Coordinate?, _ now: ClockReading) throws -> Cloak {
    var cloak = Cloak(key: try CloakKey(deviceKey: key), memory: Cloak.Memory(), boot: "1")
    if let position { _ = cloak.reduce(position, at: now.monotonic, utc: now.utc) }
    return Cloak(key: try CloakKey(deviceKey: key), memory: cloak.memory, boot: "1")
  }

  func stop() async {
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    await gateway.stop()
    await clock.stop()
  }

  // MARK: Clients

  func app(_ name: String = "parks") async throws -> Talker {
    try await Talker.connect(folder + "/s", "HELLO 1 app=\(name) keepalive=0")
  }

  func owner() async throws -> Talker {
    let owner = try await Talker.connect(folder + "/o", "HELLO 1")
    _ = try await owner.reply(to: "SUB owner/# news")
    return owner
  }

  // MARK: Events

  /// Moves the receiver to a position, and returns when the gateway has processed the fixes.
  func stand(north metres: Double) async {
    for said in wanderer.withLock({ $0.stand(north: metres) }) {
      await gateway.receive(.bytes(said.bytes, at: said.arrived))
    }
    // Waits until the last epoch has ended and the gateway has noticed the silence of the receiver.
    for await _ in await gateway.changes() where await gateway.isReceiverIdle { return }
  }

  /// Sends the receiver's bytes of one second, and lets the second pass.
  func receive(_ bytes: [UInt8]) async {
    await gateway.receive(.bytes(bytes, at: clock.now))
    await clock.pass(.seconds(1))
  }

  /// Returns the side of a region in the owners' status.
  func state(of id: String = "home", _ owner: Talker) async throws -> String? {
    let lines = try await owner.list("REGIONS")
    return lines.first { $0.contains(#""id":"\#(id)""#) }?.firstMatch(of: /"state":"(\w+)"/).map { String($0.1) }
  }

  var log: [LogEntry] { get async { await gateway.snapshot(entries: 100).log } }
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

extension Talker {
  /// Registers a region of 200 m around the centre.
  @discardableResult
  func register(_ id: String = "home", radius: Int = 200, text: String = "Buy milk") async throws -> String {
    try await reply(to: "REGION ADD \(id) 47.3766666667 8.5416666667 \(radius) enter,exit :\(text)")
  }
}
