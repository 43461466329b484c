import ControlledBoard
import Disclosure
import Foundation
import GNSS
import LineProtocol
import OperatingSystem
import Requirements
import StateStore
import TemporaryFiles
import Testing

@testable import Cloaking

@Test(.patient, arguments: [1000, 2000])
func `the gateway saves the end of a slot with an answer, and at its stop the time that has passed`(
  seconds: Int
) async throws {
  let folder = try TemporaryDirectory()
  let home = try #require(Coordinate(latitude: 47.3767, longitude: 8.5417))
  let bench = try await Bench([record(.always, accuracy: .reduced)], in: folder, node: home)
  let app = try await bench.app()
  try await app.reply(to: "REQ once")
  _ = try await app.next("MSG fix/once")
  // The first slot lasts 15 to 30 minutes.
  await bench.clock.pass(.seconds(seconds))
  await bench.stop()
  let store = try Bench.store(in: folder, bench.clock.reading)
  defer { store.close() }
  let bytes = try #require(try store.unseal(DisclosureGate.memoryName))
  let slot = try #require(Cloak.Memory(encoded: bytes)).present
  #expect(slot.boot == "1")
  if seconds == 2000 { #expect(!slot.isAnswered) }
  #expect(!slot.isAnswered || slot.rest < .seconds(900))
}

@Test func `the identifier of the boot stays the same`() {
  #expect(SystemClock.boot.utf8.count == 36)
  #expect(SystemClock.boot == SystemClock.boot)
}
