package import Clocks

/// The schedule of approximate updates. The first update is sent as soon as one is available, and each later update at
/// a quarter hour of UTC, independent of the receiver. Therefore the time of a message reveals nothing about the
/// position.
package struct QuarterHours: Sendable {
  private static let length: Int64 = 900_000_000_000
  /// The receiver's clock may seem late by that much, because its messages take longer to arrive than before.
  private static let tolerance: Int64 = 60_000_000_000

  /// Quarter hours from one message to the next, at least 1.
  let stride: Int64
  /// When the next message is due; nil before the first.
  package private(set) var due: MonotonicInstant?
  /// The readings of both clocks at `due`.
  private var reference: ClockReading?

  /// - Parameter interval: the least time between two messages that the app asked for, milliseconds.
  package init(interval: Int?) {
    stride = max(1, (Int64(interval ?? 0) * 1_000_000 + Self.length - 1) / Self.length)
  }

  package func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// Schedules the message after one that is sent now.
  /// - Parameter known: the time by the receiver or by this machine; nil continues from the last message.
  /// - Returns: the time that the message of now shows; nil if no time is known.
  package mutating func advance(_ known: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = known ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // A message that is sent at a quarter hour shows that quarter hour.
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
