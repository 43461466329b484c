@testable import Cloaking
import OperatingSystem
import StateStore
import Testing

extension Folder {
  /// Puts the saved node in force, as the beginning of the next slot does. A slot lasts 15 minutes or more, and a test
  /// cannot wait that long.
  func putNodeInForce() throws {
    let key = try DeviceKey(readingFrom: path("state.key"))
    let store = try StateStore(
      directory: path("state"), key: key, anchor: path("state.anchor"), boot: SystemClock.boot,
      now: SystemClock.reading)
    defer { store.close() }
    let bytes = try #require(try store.unseal("cloak"))
    var memory = try #require(Cloak.Memory(encoded: bytes))
    memory.inForce = memory.node
    try store.seal(memory.encoded(), as: "cloak")
  }
}
