import Base
import Hardware
import Synchronization
import Testing

@testable import SimulatedHardware

/// Returns the chunks of a simulated receiver until the clock cancels it.
private func chunks(
  seed: UInt64, _ manual: ManualClock, _ taken: @escaping @Sendable (_ count: Int) -> Void = { _ in }
) async throws -> [(bytes: [UInt8], arrived: MonotonicInstant)] {
  let received = Mutex<[(bytes: [UInt8], arrived: MonotonicInstant)]>([])
  try await SimulatedReceiver(settings: .init(seed: seed), clock: manual.clock).run(opened: {}) { bytes, arrived in
    taken(
      received.withLock {
        $0.append((bytes, arrived))
        return $0.count
      })
  }
  return received.withLock { $0 }
}

@Test func `the port sends each burst at its time and ends when it is cancelled`() async throws {
  let received = try await chunks(seed: 5, ManualClock(limit: 100))
  var simulation = ReceiverSimulation(settings: .init(seed: 5), start: startOfTests)
  let bursts = (0..<100).map { _ in simulation.next() }
  #expect(received.map(\.bytes) == bursts.map(\.bytes))
  #expect(received.map(\.arrived) == bursts.map { MonotonicInstant(nanoseconds: 1_000_000_000) + $0.at })
}

@Test func `a late burst is dropped`() async throws {
  let manual = ManualClock(limit: 14)
  // The reader stalls for ten and a half seconds after the first burst.
  let received = try await chunks(seed: 5, manual) { if $0 == 1 { manual.pass(.milliseconds(10_500)) } }
  var simulation = ReceiverSimulation(settings: .init(seed: 5), start: startOfTests)
  let bursts = (0..<14).map { _ in simulation.next().bytes }
  #expect(received.map(\.bytes) == [bursts[0]] + bursts[10...])
}

@Test(arguments: [
  ("simulated", ReceiverSimulation.Settings()), ("simulated:cold", .init(isCold: true)),
  ("simulated:seed=7,rate=10", .init(seed: 7, rate: 10)),
])
func `the name of a receiver contains its settings`(name: String, settings: ReceiverSimulation.Settings) {
  let port = SimulatedReceiver(settings: settings)
  #expect(port.name == name)
  #expect(!port.isLive)
}
