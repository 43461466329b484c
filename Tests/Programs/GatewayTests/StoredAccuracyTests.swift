import Authorization
import Cloaking
import ControlledBoard
import Foundation
import Hardware
import LineProtocol
import Ports
import SimulatedHardware
import StateStore
import Telemetry
import Testing

@testable import Gateway

/// Starts and stops a gateway whose state is in a folder. Returns the record of an app that the next start reads.
private func record(
  of app: AppID, in folder: String, configured accuracy: FixAccuracy?, _ clock: BenchClock
) throws -> AppRecord? {
  let key = try #require(DeviceKey(bytes: Array(repeating: 7, count: 32)))
  func open() throws -> StateStore { try StateStore(directory: folder, key: key, now: clock.reading) }
  var policy = Policy()
  policy.authorization.newAppAccuracy[app] = accuracy
  let dependencies = GatewayDependencies(
    names: ("bench", "simulated", "0", "1"), buttons: [],
    light: (SimulatedIndicator(), IndicatorProfile()), receiver: .init(.bytes(SilentReceiver())),
    simulatedPressRefusal: nil,
    policy: policy)
  let cloak = Cloak(key: try CloakKey(deviceKey: Array(repeating: 7, count: 32)), memory: Cloak.Memory(), boot: "1")
  var router = Router(
    dependencies, try StoredState(open(), copyPath: nil, .success(cloak), dependencies, at: clock.reading), supply: nil,
    keyring: Keyring(), clock: { clock.reading })
  _ = router.stop(at: clock.reading)
  let store = try open()
  defer { store.close() }
  return try store.load(now: clock.reading).apps.first { $0.app == app }
}

@Test(.timeLimit(.minutes(10)), arguments: [FixAccuracy.reduced, .place])
func `D1: the accuracy that the configuration lowers at a start stays low after a start without it`(lower: FixAccuracy)
  async throws
{
  let clock = await BenchClock()
  let folder = NSTemporaryDirectory() + "onefix-stored-\(UUID().uuidString)"
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let parks = try #require(AppID("parks"))
  let key = try #require(DeviceKey(bytes: Array(repeating: 7, count: 32)))
  do {
    let store = try StateStore(directory: folder, key: key, now: clock.reading)
    defer { store.close() }
    try store.save(AppRecord(app: parks, status: .always, accuracy: .full), now: clock.reading)
  }
  #expect(try record(of: parks, in: folder, configured: nil, clock)?.accuracy == .full)
  #expect(try record(of: parks, in: folder, configured: lower, clock)?.accuracy == lower)
  #expect(try record(of: parks, in: folder, configured: .full, clock)?.accuracy == lower)
  await clock.stop()
}

@Test(.timeLimit(.minutes(10)))
func `D1: a new configuration that lowers the accuracies of many apps saves them in one write`() async throws {
  let names = (0..<20).map { "app\($0)" }
  try await Bench.with(confirmed: names) { bench in
    var configuration = Authorization.Configuration()
    for app in names.compactMap({ AppID($0) }) { configuration.newAppAccuracy[app] = .reduced }
    let before = await bench.gateway.rightWrites
    await bench.gateway.handle(.ordered(.configure(configuration)))
    #expect(await bench.gateway.rightWrites == before + 1)
    #expect(await bench.gateway.accuracies == [.reduced])
  }
}

extension Gateway {
  fileprivate var rightWrites: Int { router.disclosures.log.writes["right"]?.count ?? 0 }

  fileprivate var accuracies: Set<FixAccuracy> { Set(router.authorization.records.values.map(\.accuracy)) }
}
