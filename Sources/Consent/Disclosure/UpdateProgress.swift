package import Clocks
package import LineProtocol

/// How far updates have come: which fix was sent last, and under which entry of the log.
package struct UpdateProgress: Sendable {
  /// The least time between two fixes, milliseconds; nil for every epoch.
  private let interval: Int?
  /// The least distance between two fixes, metres; nil for any.
  private let distance: Int?
  /// The log entry of the open interval; nil if no interval is open.
  package private(set) var entry: Int64?
  /// The fixes that were sent in the interval.
  package private(set) var count = 0
  /// When the fix arrived that was sent last.
  private var last: MonotonicInstant?
  private var lastPlace: SealedPlace?
  private(set) var quarterHours: QuarterHours

  package init(_ options: UpdatesRequest) {
    interval = options.interval
    distance = options.distance
    quarterHours = QuarterHours(interval: options.interval)
  }

  /// When the next approximate fix is due; nil before the first, and for full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether a fix with full accuracy is new, and due.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= tolerated else { return false }
    guard let distance, let lastPlace else { return true }
    return lastPlace.isFar(fix.place, metres: distance)
  }

  /// A receiver's epochs come some milliseconds early or late: an app that asks for the receiver's rate receives each one.
  private var tolerated: Duration {
    let interval = Duration.milliseconds(interval ?? 0)
    return interval - min(interval / 10, .milliseconds(100))
  }

  /// Whether an approximate place is as far from the last one as the app asked for.
  func isFar(_ place: SealedPlace) -> Bool {
    guard let distance, let lastPlace else { return true }
    return lastPlace.isFar(place, metres: distance)
  }

  mutating func open(_ entry: Int64) {
    self.entry = entry
    count = 0
  }

  mutating func passQuarterHour(_ quarterHours: QuarterHours) { self.quarterHours = quarterHours }

  mutating func noteSent(_ place: SealedPlace, arrived: MonotonicInstant?) {
    if let arrived { last = arrived }
    lastPlace = place
    count += 1
  }

  /// The log's interval has ended: the next fix opens another.
  package mutating func close() { entry = nil }
}
