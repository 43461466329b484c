import Authorization
import ControlledBoard
import LineProtocol
import OperatingSystem
import Requirements
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

@Test(.patient, arguments: [FixAccuracy.reduced, .place])
func `D1: the accuracy that the configuration lowers at a start stays low after a start without it`(lower: FixAccuracy)
  async throws
{
  let folder = try TemporaryDirectory()
  /// Returns the saved accuracy after a start with an accuracy in the configuration.
  func savedAccuracy(_ records: [AppRecord] = [], configured: FixAccuracy?) async throws -> FixAccuracy? {
    var policy = Policy()
    policy.authorization.newAppAccuracy[parks] = configured
    let bench = try await Bench(records, in: folder, policy: policy)
    await bench.stop()
    let store = try Bench.store(in: folder, bench.clock.reading)
    defer { store.close() }
    return try store.load(now: bench.clock.reading).apps.first?.accuracy
  }
  #expect(try await savedAccuracy([record(.always)], configured: nil) == .full)
  #expect(try await savedAccuracy(configured: lower) == lower)
  #expect(try await savedAccuracy(configured: .full) == lower)
}

@Test(.patient)
func `D1: a new configuration that lowers the accuracies of many apps saves them in one write`() async throws {
  let names = (0..<20).map { "app\($0)" }
  try await Bench(confirmed(names)).run { bench in
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
