package import Clocks
package import LineProtocol

/// The progress of updates: the last sent fix, and its log entry.
package struct UpdateProgress: Sendable {
  /// The minimum time between two fixes, milliseconds; nil for every epoch.
  private let interval: Int?
  /// The minimum distance between two fixes, metres; nil for any distance.
  private let distance: Int?
  /// The log entry of the open interval; nil if no interval is open.
  package private(set) var entry: Int64?
  /// The number of fixes that were sent in the interval.
  package private(set) var count = 0
  /// The arrival of the last sent fix.
  private var last: MonotonicInstant?
  private var lastPlace: SealedPlace?
  private(set) var quarterHours: QuarterHours

  package init(_ options: UpdatesRequest) {
    interval = options.interval
    distance = options.distance
    quarterHours = QuarterHours(interval: options.interval)
  }

  /// The time of the next approximate fix; nil before the first fix, and for full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether a fix with full accuracy is new, and due.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= tolerated else { return false }
    guard let distance, let lastPlace else { return true }
    return lastPlace.isFar(fix.place, metres: distance)
  }

  /// The minimum time between two fixes, with a tolerance for epochs that arrive some milliseconds early. With this
  /// tolerance an app that requests the receiver's rate receives each epoch.
  private var tolerated: Duration {
    let interval = Duration.milliseconds(interval ?? 0)
    return interval - min(interval / 10, .milliseconds(100))
  }

  /// Whether the distance of an approximate place from the last place is at least the distance that the app requested.
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

  /// Ends the log interval. The next fix opens another interval.
  package mutating func close() { entry = nil }
}
