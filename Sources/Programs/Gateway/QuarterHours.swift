import Clocks

/// When updates of approximate fixes are sent: the first as soon as there is one, each of the others at a quarter hour of
/// UTC, whatever the receiver does meanwhile. So nothing about the time of a message tells where somebody is.
struct QuarterHours {
  private static let length: Int64 = 900_000_000_000
  /// The receiver's clock may seem to be late by that much, because what it says takes longer to arrive than before.
  private static let tolerance: Int64 = 60_000_000_000

  /// Quarter hours from one message to the next, at least 1.
  let stride: Int64
  /// When the next message is due; nil before the first.
  private(set) var due: MonotonicInstant?
  /// What both clocks showed, or will show, then.
  private var reference: ClockReading?

  /// - Parameter interval: milliseconds between two messages at least, as the app asked.
  init(interval: Int?) {
    stride = max(1, (Int64(interval ?? 0) * 1_000_000 + Self.length - 1) / Self.length)
  }

  func isDue(at now: MonotonicInstant) -> Bool { due.map { $0 <= now } ?? true }

  /// The time that a message shows which is sent now, and with which the next is reckoned.
  /// - Parameter told: what the receiver says, or whoever knows; nil goes on from the last message.
  mutating func take(_ told: UTCTime?, at now: MonotonicInstant) -> UTCTime? {
    guard var utc = told ?? reference?.utc(at: now) else { return nil }
    if let reference, reference.monotonic <= now {
      let behind = reference.utc.nanosecondsSince1970.subtractingReportingOverflow(utc.nanosecondsSince1970)
      // What is sent at a quarter hour says so.
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
