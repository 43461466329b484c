import Base
import StateStore
import OperatingSystem

/// Writes to the store, and measures the time until the data of each write is durable.
struct StoreWriter {
  private let store: StateStore
  private let clock: @Sendable () -> ClockReading
  /// The durations of the successful writes, by kind of write.
  private(set) var writes = StoreWrite.each(
    Histogram(bounds: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]))
  /// The numbers of failed writes, by kind of write.
  private(set) var failedWrites = StoreWrite.each(0)
  /// Whether the latest write failed. A failure of the upkeep does not count, because `LogUpkeep` reports it.
  private(set) var isFailing = false

  init(_ store: StateStore, clock: @escaping @Sendable () -> ClockReading) {
    self.store = store
    self.clock = clock
  }

  /// The present time of the clock.
  var now: ClockReading { clock() }

  /// Performs a write.
  /// - Parameter write: Writes to the store. Its second argument is the time at which the write begins.
  mutating func write<Result>(
    _ kind: StoreWrite, _ write: (StateStore, ClockReading) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let start = clock()
    do {
      let result = try write(store, start)
      writes[kind.rawValue]?.observe(clock().monotonic - start.monotonic)
      if kind != .upkeep { isFailing = false }
      return result
    } catch {
      failedWrites[kind.rawValue, default: 0] += 1
      if kind != .upkeep { isFailing = true }
      throw error
    }
  }
}

/// The kind of a write to the store. The metrics have the raw value.
enum StoreWrite: String, CaseIterable {
  /// The log entry of a disclosure. The gateway writes the entry before the disclosure.
  case disclosure
  /// The outcome of a disclosure.
  case outcome
  /// The authorization of an app, an answer to a prompt, or the state of the kill switch.
  case right
  /// Sealed values: keys, regions, and the memories of places and of the cloak, which computes
  /// approximate positions.
  case sealed
  /// The removal of old entries, the anchor, and the counts of requests without a fix.
  case upkeep

  /// Returns a dictionary with one value for each kind of write.
  static func each<Value>(_ value: Value) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, value) })
  }
}
