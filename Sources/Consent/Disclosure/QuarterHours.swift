package import Clocks

/// The schedule of the messages of approximate updates. The gateway sends the first message as soon as an approximate
/// position is available, and each later message at a quarter hour of UTC. The time of a later message does not depend
/// on the receiver, so that it reveals nothing about the position.
package struct QuarterHours: Sendable {
  private static let length: Int64 = 900_000_000_000
  /// The maximum time by which the receiver's clock may be behind the schedule, in nanoseconds. The gateway learns the
  /// receiver's time from the messages that the receiver sends. If a message arrives later than usual, the receiver's
  /// clock appears to be behind.
  private static let tolerance: Int64 = 60_000_000_000

  /// The number of quarter hours between two messages, at least 1.
  let stride: Int64
  /// The instant at which the app gets the next message of approximate updates; nil before the first message.
  package private(set) var due: MonotonicInstant?
  /// The time that the monotonic clock and UTC are expected to show at the instant `due`.
  private var reference: ClockReading?

  /// - Parameter interval: The minimum time between two messages in milliseconds; nil if the app requested no minimum
  ///   time.
  package init(interval: Int?) {
    stride = max(1, (Int64(interval ?? 0) * 1_000_000 + Self.length - 1) / Self.length)
  }

  package func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// Records that the app gets a message now, and schedules the next message.
  ///
  /// - Parameter known: The time from the receiver or this machine; nil if it is unknown. The schedule then continues
  ///   from the last message.
  /// - Returns: The time to write in the message that the app gets now; nil if no time is known.
  package mutating func advance(_ known: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = known ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // The time in a message must be the quarter hour for which the message was scheduled, even if the receiver's
      // clock appears to be a little late.
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
