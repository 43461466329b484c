package import Clocks
package import LineProtocol

/// The state of an app's updates.
package struct UpdateProgress: Sendable {
  /// The minimum time between two fixes in milliseconds, if the app requested one.
  private let interval: Int?
  /// The minimum distance between two fixes in metres, if the app requested one.
  private let distance: Int?
  /// The number of the open log entry for an interval of updates, if any.
  package private(set) var entry: Int64?
  /// The number of fixes that were sent since the log entry was opened.
  package private(set) var count = 0
  /// The arrival time of the last sent fix.
  private var last: MonotonicInstant?
  private var lastPosition: SealedPosition?
  private(set) var quarterHours: QuarterHours

  package init(_ options: UpdatesRequest) {
    interval = options.interval
    distance = options.distance
    quarterHours = QuarterHours(interval: options.interval)
  }

  /// The instant of the next approximate fix; nil before the first approximate fix, and for an app with full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether to send a fix with full accuracy now. The fix must be newer than the last sent fix, and must have the
  /// requested minimum time and distance from it.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= tolerated else { return false }
    guard let distance, let lastPosition else { return true }
    return lastPosition.isFar(fix.position, metres: distance)
  }

  /// The minimum time between two fixes, reduced by a tolerance. Epochs may arrive some milliseconds early.
  private var tolerated: Duration {
    let interval = Duration.milliseconds(interval ?? 0)
    return interval - min(interval / 10, .milliseconds(100))
  }

  /// Whether an approximate position has the requested distance from the position of the last sent fix.
  func isFar(_ position: SealedPosition) -> Bool {
    guard let distance, let lastPosition else { return true }
    return lastPosition.isFar(position, metres: distance)
  }

  mutating func open(_ entry: Int64) {
    self.entry = entry
    count = 0
  }

  mutating func passQuarterHour(_ quarterHours: QuarterHours) { self.quarterHours = quarterHours }

  mutating func noteSent(_ position: SealedPosition?, arrived: MonotonicInstant?) {
    if let arrived { last = arrived }
    lastPosition = position
    count += 1
  }

  /// Forgets the closed log entry. The next fix opens a new entry.
  package mutating func close() { entry = nil }
}
