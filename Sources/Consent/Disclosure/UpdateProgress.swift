package import Clocks
package import LineProtocol

/// The state of an app's updates: the last fix that the gateway sent to the app, and the log entry of the updates.
package struct UpdateProgress: Sendable {
  /// The minimum time between two fixes in milliseconds; nil if the app requested no minimum time.
  private let interval: Int?
  /// The minimum distance between two fixes in metres; nil if the app requested no minimum distance.
  private let distance: Int?
  /// The number of the open log entry. An entry covers an interval of updates. The value is nil if no entry is open.
  package private(set) var entry: Int64?
  /// The number of fixes that were sent since the log entry was opened.
  package private(set) var count = 0
  /// The instant at which the measurement of the last sent fix arrived from the receiver.
  private var last: MonotonicInstant?
  private var lastPlace: SealedPlace?
  private(set) var quarterHours: QuarterHours

  package init(_ options: UpdatesRequest) {
    interval = options.interval
    distance = options.distance
    quarterHours = QuarterHours(interval: options.interval)
  }

  /// The instant of the next approximate fix. The value is nil before the first approximate fix. The value is always
  /// nil if the app has full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether to send a fix with full accuracy now. The fix must be newer than the last fix that was sent. The time and
  /// the distance between the two fixes must be at least the minimum that the app requested.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= tolerated else { return false }
    guard let distance, let lastPlace else { return true }
    return lastPlace.isFar(fix.place, metres: distance)
  }

  /// The minimum time between two fixes, reduced by a tolerance. Epochs may arrive some milliseconds early. Without the
  /// tolerance, an app that requests one fix for each epoch would not get a fix for these epochs.
  private var tolerated: Duration {
    let interval = Duration.milliseconds(interval ?? 0)
    return interval - min(interval / 10, .milliseconds(100))
  }

  /// Whether an approximate place is far enough from the place of the last sent fix. The app's request determines the
  /// minimum distance.
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

  /// Forgets the number of the log entry, because the entry was closed. The next fix opens a new entry.
  package mutating func close() { entry = nil }
}
