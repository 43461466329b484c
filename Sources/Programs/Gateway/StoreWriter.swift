import Authorization
import Base
import OperatingSystem
import StateStore

/// Writes to the store, and measures how long each write takes until its data is on the disk.
struct StoreWriter {
  private let store: StateStore
  private let clock: @Sendable () -> ClockReading
  /// The histograms of the durations of successful writes. The key is the kind of the write.
  private(set) var writes = StoreWrite.each(
    Histogram(bounds: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]))
  /// The counts of failed writes. The key is the kind of the write.
  private(set) var failedWrites = StoreWrite.each(0)
  /// Whether the latest write failed. Writes of the kind `upkeep` (maintenance of the log) are ignored, because
  /// `LogUpkeep` reports their errors.
  private var hasFailed = false
  /// Whether the latest log entry of a disclosure failed. On a full disk, smaller writes can succeed after the failure.
  private var cannotDisclose = false

  init(_ store: StateStore, clock: @escaping @Sendable () -> ClockReading) {
    self.store = store
    self.clock = clock
  }

  var now: ClockReading { clock() }

  /// Whether the latest write, or the latest log entry of a disclosure, failed.
  var isFailing: Bool { hasFailed || cannotDisclose }

  /// Returns whether a record gives or takes away a permission, compared with the saved record of its app. If the saved
  /// record cannot be read, the result is true.
  func changesRights(_ record: AppRecord) -> Bool { (try? store.changesRights(record, now: clock())) ?? true }

  /// Performs a write and measures its duration.
  /// - Parameters:
  ///   - kind: The kind under which the duration or the failure is counted.
  ///   - write: The function that writes to the store. Its second argument is the time at which the write begins.
  mutating func write<Result>(
    _ kind: StoreWrite, _ write: (StateStore, ClockReading) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let start = clock()
    do {
      let result = try write(store, start)
      writes[kind.rawValue]?.observe(clock().monotonic - start.monotonic)
      note(kind, failed: false)
      return result
    } catch {
      failedWrites[kind.rawValue, default: 0] += 1
      note(kind, failed: true)
      throw error
    }
  }

  private mutating func note(_ kind: StoreWrite, failed: Bool) {
    if kind != .upkeep { hasFailed = failed }
    if kind == .disclosure { cannotDisclose = failed }
  }
}

/// The kind of a write to the store. The raw value is a label of the metrics.
enum StoreWrite: String, CaseIterable {
  /// The log entry of a disclosure (a fix that is sent to an app). The entry is written before the fix is sent.
  case disclosure
  /// The outcome of a disclosure (a fix that was sent to an app), for example an acknowledgement of the client.
  case outcome
  /// The authorization of an app, an answer to a prompt (a question to the user), or the state of the kill switch.
  case right
  /// A value that is saved in encrypted form: a key of an app, regions, named places, or the present approximate
  /// position.
  case sealed
  /// The results of maintenance: a removal of old log entries, the anchor (the record of the end of the log), or the
  /// counts of requests without a fix.
  case upkeep

  /// Returns a dictionary with the same value for every kind of write. The key is the raw value of the kind.
  static func each<Value>(_ value: Value) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, value) })
  }
}
