package import Authorization
package import Base
package import LineProtocol
package import StateStore
import TemporaryFiles

/// Fixes of the outbox: only a store can make them.
package final class OutboxFixes {
  private let directory: TemporaryDirectory
  package let store: StateStore

  package init(at now: ClockReading) throws {
    struct KeyRefused: Error {}
    guard let key = DeviceKey(bytes: [UInt8](repeating: 7, count: DeviceKey.byteCount)) else { throw KeyRefused() }
    directory = try TemporaryDirectory()
    store = try StateStore(directory: directory.path, key: key, now: now)
  }

  package func add(
    _ app: AppID, _ accuracy: FixAccuracy = .full, _ right: Right = .always, sink: String = PlainForm().name,
    expires: UTCTime, content: [UInt8] = [1], at now: ClockReading
  ) throws -> OutboxEntry {
    let entry = DisclosureEntry(app: app, accuracy: accuracy, right: right, transport: "mqtt", isSimulated: true)
    return try store.keep(
      OutboxFix(sink: sink, expires: expires, bytes: content), as: entry, record: AppRecord(app: app), now: now)
  }
}
