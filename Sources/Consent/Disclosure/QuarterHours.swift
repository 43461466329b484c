package import Clocks

/// The schedule of approximate updates. The first update is sent as soon as one is available, and each later update at
/// a quarter hour of UTC, independent of the receiver. Therefore the time of a message reveals nothing about the
/// position.
package struct QuarterHours: Sendable {
  private static let length: Int64 = 900_000_000_000
  /// The tolerance for an apparent delay of the receiver's clock, caused by messages that take longer to arrive than
  /// before.
  private static let tolerance: Int64 = 60_000_000_000

  /// The number of quarter hours between two messages, at least 1.
  let stride: Int64
  /// The time of the next message; nil before the first message.
  package private(set) var due: MonotonicInstant?
  /// The readings of both clocks at `due`.
  private var reference: ClockReading?

  /// - Parameter interval: the minimum time between two messages that the app requested, milliseconds.
  package init(interval: Int?) {
    stride = max(1, (Int64(interval ?? 0) * 1_000_000 + Self.length - 1) / Self.length)
  }

  package func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// Schedules the message after the current message.
  ///
  /// - Parameter known: the time from the receiver or this machine; nil continues from the last message.
  /// - Returns: the time in the current message; nil if no time is known.
  package mutating func advance(_ known: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = known ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // A message at a quarter hour contains that quarter hour.
      if !behind.overflow, (0...Self.tolerance).contains(behind.partialValue) { utc = reference.utc }
    }
    let now = ClockReading(monotonic: now, utc: utc)
    let into = (utc.nanosecondsSince1970 % Self.length + Self.length) % Self.length
    let due = now.monotonic + .nanoseconds(Self.length - into) + .nanoseconds((stride - 1) * Self.length)
    self.due = due
    reference = ClockReading(monotonic: due, utc: now.utc(at: due))
    return utc
  }
}
