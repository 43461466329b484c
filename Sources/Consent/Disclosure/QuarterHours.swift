package import Clocks

/// The schedule of approximate updates. The first message is sent as soon as an approximate position is available, and
/// each later message at a quarter hour of UTC. So the times of later messages reveal nothing about the position.
package struct QuarterHours: Sendable {
  private static let length: Int64 = 900_000_000_000
  /// The maximum apparent delay of the receiver's clock, in nanoseconds. A late message of the receiver makes its clock
  /// appear to be behind.
  private static let tolerance: Int64 = 60_000_000_000

  /// The number of quarter hours between two messages, at least 1.
  let stride: Int64
  /// The instant of the next message; nil before the first message.
  package private(set) var due: MonotonicInstant?
  /// The expected readings of both clocks at the instant `due`.
  private var reference: ClockReading?

  /// - Parameter interval: The minimum time between two messages in milliseconds, if any.
  package init(interval: Int?) {
    stride = max(1, (Int64(interval ?? 0) * 1_000_000 + Self.length - 1) / Self.length)
  }

  package func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// Records that the app gets a message now, and schedules the next message.
  ///
  /// - Parameter known: The time of the receiver or of this machine, if known. Otherwise the schedule continues from
  ///   the last message.
  /// - Returns: The time to write in the message; nil if no time is known.
  package mutating func advance(_ known: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = known ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // The message must contain its scheduled quarter hour, even if the receiver's clock appears to be a little late.
      if !behind.overflow, (0...Self.tolerance).contains(behind.partialValue) { utc = reference.utc }
    }
    let now = ClockReading(monotonic: now, utc: utc)
    let into = (utc.nanosecondsSince1970 % Self.length + Self.length) % Self.length
    let due = now.monotonic + .nanoseconds(Self.length - into) + .nanoseconds((stride - 1) * Self.length)
    self.due = due
    reference = ClockReading(monotonic: due, utc: now.utc(at: due))
    return utc
  }

  /// Schedules the next message at the beginning of a slot of another schedule.
  mutating func follow(_ slots: QuarterHours) {
    due = slots.due.map { $0 + .nanoseconds((stride - 1) * Self.length) }
  }
}
