package import Base
import Cloaking

/// The schedule of approximate updates to one app. The gateway sends the first message as soon as an approximate
/// position is available, and each later message at a quarter hour of UTC. The times of later messages therefore do not
/// reveal the position.
package struct QuarterHours: Sendable {
  /// The maximum delay of the receiver's clock that is ignored, in nanoseconds. A late message of the receiver can
  /// cause such a delay.
  private static let tolerance: Int64 = 60_000_000_000

  /// The time between two messages in quarter hours, at least 1.
  let stride: Int64
  /// The instant at which the next message is due; nil before the first message.
  package private(set) var due: MonotonicInstant?
  /// The due time of the next message, as monotonic time and as UTC; nil before the first message.
  private var reference: ClockReading?

  /// Creates a schedule before its first message.
  ///
  /// - Parameter interval: The minimum time between two messages in milliseconds.
  package init(interval: Int) {
    let length = Duration.nanoseconds(Slot.length).milliseconds
    stride = max(1, (Int64(interval) + length - 1) / length)
  }

  package func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// Records that the app gets a message now, and schedules the next message.
  ///
  /// - Parameter known: The time of the receiver or of this machine; nil if unknown. Without a time, the schedule
  ///   continues from the previous message.
  /// - Returns: The time to write in the message; nil if no time is known.
  package mutating func advance(_ known: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = known ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // The message must contain its scheduled quarter hour, even if the receiver's clock appears to be a little late.
      if !behind.overflow, behind.partialValue <= Self.tolerance { utc = max(utc, reference.utc) }
    }
    let now = ClockReading(monotonic: now, utc: utc)
    let due =
      now.monotonic + .nanoseconds(Slot.length - utc.quarterHour.elapsed) + .nanoseconds((stride - 1) * Slot.length)
    self.due = due
    reference = ClockReading(monotonic: due, utc: now.utc(at: due))
    return utc
  }

  /// Sets the due time of the next message after an answer about places.
  ///
  /// - Parameter slotEnd: The end of the present slot (a period in which answers about places stay the same). The next
  ///   message is due `stride - 1` quarter hours later, or at once if the value is nil.
  mutating func follow(_ slotEnd: MonotonicInstant?) {
    due = slotEnd.map { $0 + .nanoseconds((stride - 1) * Slot.length) }
  }
}

extension UTCTime {
  /// The index of the quarter hour of UTC that contains the time, counted from 1970, and the nanoseconds since its
  /// beginning.
  var quarterHour: (number: Int64, elapsed: Int64) {
    let (quotient, rest) = nanosecondsSince1970.quotientAndRemainder(dividingBy: Slot.length)
    return rest < 0 ? (quotient - 1, rest + Slot.length) : (quotient, rest)
  }
}
