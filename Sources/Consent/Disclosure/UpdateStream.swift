package import Authorization
package import Base
package import LineProtocol

/// The state of continuous updates to one session. Only `DisclosureGate`, which releases location data, records sent
/// fixes in this object.
package final class UpdateStream {
  /// The result of a permission check. The result stays valid until `Authorization.revision` changes.
  struct CheckedRight {
    let revision: UInt64
    let updates: Updates
    let accuracy: FixAccuracy
  }

  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// The minimum time between two fixes. The value is a little shorter than requested, because fixes may arrive some
  /// milliseconds early.
  private let interval: Duration
  /// The minimum distance between two sent fixes in metres; nil if the app requested no distance.
  private let distance: Int?
  var right: CheckedRight?
  /// The sequence number of the open entry for these updates in the disclosure log; nil if no entry is open.
  package private(set) var entry: Int64?
  /// The count of fixes that were sent since the log entry of these updates was opened.
  package private(set) var count = 0
  /// The arrival time of the last sent fix with full accuracy; nil if no such fix was sent.
  private var last: MonotonicInstant?
  private var lastPosition: SealedPosition?
  private(set) var quarterHours: QuarterHours

  package init(_ request: RequestID, _ session: SessionID, of app: AppID, _ options: UpdatesRequest) {
    self.request = request
    self.session = session
    self.app = app
    let milliseconds = options.interval ?? 0
    let interval = Duration.milliseconds(milliseconds)
    self.interval = interval - min(interval / 10, .milliseconds(100))
    distance = options.distance
    quarterHours = QuarterHours(interval: milliseconds)
  }

  /// Whether the session waits for the first fix of these updates. The value is false before the first check of the
  /// permission.
  package var isFirstFixAwaited: Bool { right?.updates.firstFixDue != nil }

  /// The instant at which the next approximate fix is due; nil before the first approximate fix, and for an app with
  /// full accuracy.
  package var nextQuarterHour: MonotonicInstant? { quarterHours.due }

  /// Whether a fix with full accuracy is newer than the last sent fix, and at least the requested time and distance
  /// away from the last sent fix.
  func isDue(_ fix: SealedFix) -> Bool {
    guard let last else { return true }
    guard fix.arrived > last, fix.arrived - last >= interval else { return false }
    return isFar(fix.position)
  }

  /// Whether the distance from the last sent fix is at least the requested distance. The result is true if the app
  /// requested no distance.
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

  /// Ends the present log entry of these updates. The next fix opens a new entry.
  package func close() { entry = nil }
}
