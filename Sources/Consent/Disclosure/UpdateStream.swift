package import Authorization
package import Clocks
package import LineProtocol

/// A running stream of updates of one session. Only the gate records sent fixes in it.
package final class UpdateStream {
  /// The right that the gate has checked. It is valid until the authorization changes.
  struct CheckedRight {
    let revision: UInt64
    let updates: Updates
    let accuracy: FixAccuracy
  }

  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// The minimum time between two fixes, reduced by a tolerance. Epochs may arrive some milliseconds early.
  private let interval: Duration
  /// The minimum distance between two fixes in metres, if the app requested one.
  private let distance: Int?
  var right: CheckedRight?
  /// The number of the open log entry for an interval of updates, if any.
  package private(set) var entry: Int64?
  /// The number of fixes that were sent since the log entry was opened.
  package private(set) var count = 0
  /// The arrival time of the last sent fix.
  private var last: MonotonicInstant?
  private var lastPosition: SealedPosition?
  private(set) var quarterHours: QuarterHours

  package init(_ request: RequestID, _ session: SessionID, of app: AppID, _ options: UpdatesRequest) {
    self.request = request
    self.session = session
    self.app = app
    let interval = Duration.milliseconds(options.interval ?? 0)
    self.interval = interval - min(interval / 10, .milliseconds(100))
    distance = options.distance
    quarterHours = QuarterHours(interval: options.interval)
  }

  /// Whether the authorization waits for the first fix of this stream.
  package var isFirstFixAwaited: Bool { right?.updates.firstFixDue != nil }

  /// The instant of the next approximate fix; nil before the first approximate fix, and for an app with full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether to send a fix with full accuracy now. The fix must be newer than the last sent fix, and must have the
  /// requested minimum time and distance from it.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= interval else { return false }
    return isFar(fix.position)
  }

  /// Whether a position has the requested distance from the position of the last sent fix.
  func isFar(_ position: SealedPosition) -> Bool {
    guard let distance, let lastPosition else { return true }
    return lastPosition.isFar(position, metres: distance)
  }

  func open(_ entry: Int64) {
    self.entry = entry
    count = 0
  }

  func passQuarterHour(_ quarterHours: QuarterHours) { self.quarterHours = quarterHours }

  func noteSent(_ position: SealedPosition?, arrived: MonotonicInstant?) {
    if let arrived { last = arrived }
    lastPosition = position
    count += 1
  }

  /// Forgets the closed log entry. The next fix opens a new entry.
  package func close() { entry = nil }
}
