import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

/// A writer whose writes fail, and a writer with a good store.
struct FailingStore {
  private let directory: TemporaryDirectory
  let good: StateStore
  var goodWriter: StoreWriter
  var failingWriter: StoreWriter

  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    let key = try #require(DeviceKey(bytes: [UInt8](repeating: 7, count: DeviceKey.byteCount)))
    func store(_ name: String) throws -> StateStore {
      try StateStore(
        directory: directory.path(name), key: key, anchor: directory.path("anchor of \(name)"), now: clock())
    }
    good = try store("good")
    goodWriter = StoreWriter(good) { clock() }
    let closed = try store("closed")
    closed.close()
    failingWriter = StoreWriter(closed) { clock() }
  }
}
