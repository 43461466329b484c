import Authorization
import Base
import Disclosure
import Glibc
import LineProtocol
import Logging
import Ports
import OperatingSystem

/// An event at the border of an app's region, before the app is notified. The event waits for the indicator and for the
/// app's client until it expires.
struct PendingCrossing: Hashable {
  let app: AppID
  let event: RegionEvent
  let expires: MonotonicInstant
}

/// The reply to a command about a region that the gateway refuses.
struct RegionRefusal: Error {
  let error: LineError
  /// Further fields of the reply.
  let fields: ServerLine.Fields

  init(_ code: ErrorCode, _ text: String, _ fields: ServerLine.Fields = [:]) {
    error = LineError(code, text)
    self.fields = fields
  }
}

/// The store that saves the regions.
protocol RegionStore {
  /// Saves the regions.
  /// - Returns: The cause of a failure; nil if the regions are saved.
  mutating func save(_ regions: SealedRegions) -> String?
}

/// The regions of the apps. Events at the borders of regions are stored until the apps are notified.
struct RegionWatcher {
  /// A change of the regions of an app.
  enum Change {
    case add(Region)
    case remove(String)
  }

  /// The limits for changes of regions by one app: 20 changes in a short time, and then one change per minute.
  static let changesAtOnce = 20
  static let changesPerSecond = 1.0 / 60
  /// The average time between two saves without a change, in seconds. These saves occur at random times.
  private static let idleSavePeriod = 600.0

  private var regions: SealedRegions
  /// The budget of changes of each app.
  private var budgets: [AppID: TokenBucket] = [:]
  /// The events that wait until the app is notified, oldest first.
  private(set) var pending: [PendingCrossing] = []
  /// The time of arrival of the last fix that was compared with the regions.
  private var compared: MonotonicInstant?
  /// Whether a save without a change by an app failed, and none succeeded since then.
  private var isFailing = false
  /// The time of the next save if the regions do not change before.
  private var idleSave: MonotonicInstant?
  /// The reason why the saved regions cannot be read. If it is not nil, the gateway does not overwrite them.
  private let fault: String?

  init(_ regions: SealedRegions = SealedRegions(), fault: String? = nil) {
    self.regions = regions
    self.fault = fault
  }

  var nextDeadline: MonotonicInstant? { pending.map(\.expires).min() }

  // MARK: Changes

  /// Executes the command `REGION ADD` or `REGION DEL`, after the check that the app may have regions. A change takes
  /// effect only if it is durable.
  /// - Throws: The error for the app, with further fields of the reply.
  mutating func execute(
    _ change: Change, of app: AppID, at now: ClockReading, in store: inout some RegionStore, _ outputs: inout Outputs
  ) throws(RegionRefusal) {
    var changed = regions
    switch change {
    case .add(let region):
      // Some apps register the same regions again at each start. An unchanged region is not saved again.
      if regions.region(region.id, of: app) == region { return }
      guard changed.add(region, of: app, at: now.utc) else {
        throw RegionRefusal(
          .tooMany, "an app can have at most \(SealedRegions.most) regions (remove one with REGION DEL)")
      }
    case .remove(let id):
      guard regions.region(id, of: app) != nil else {
        throw RegionRefusal(.badArgument, "no region \(id) (REGION LIST lists the regions)")
      }
      changed.remove(id, of: app)
    }
    var budget =
      budgets[app] ?? TokenBucket(capacity: Self.changesAtOnce, perSecond: Self.changesPerSecond, at: now.monotonic)
    let isAllowed = budget.consume(at: now.monotonic)
    budgets[app] = budget
    guard isAllowed else {
      throw RegionRefusal(
        .rateLimited, "the app changed its regions too often (wait)",
        ["retry-after": "\(budget.wait.secondsRoundedUp)"])
    }
    if fault == nil {
      guard let cause = store.save(changed) else { return adopt(changed) }
      Self.report(cause, &outputs)
    }
    throw RegionRefusal(.store, "the gateway cannot save the regions (its log has the cause)")
  }

  /// Uses regions that are saved.
  private mutating func adopt(_ saved: SealedRegions) {
    regions = saved
    regions.noteSaved()
    isFailing = false
  }

  /// Saves the regions without a change by an app.
  private mutating func save(in store: inout some RegionStore, _ outputs: inout Outputs) {
    guard fault == nil else { return }
    guard let cause = store.save(regions) else { return adopt(regions) }
    if !isFailing { Self.report(cause, &outputs) }
    isFailing = true
  }

  private static func report(_ cause: String, _ outputs: inout Outputs) {
    outputs.log(.regions, .error, "cannot write the regions", ["cause": cause])
  }

  /// Removes the regions of an app that may no longer have regions. The app must register them again later.
  mutating func removeAll(of app: AppID, in store: inout some RegionStore, _ outputs: inout Outputs) {
    pending.removeAll { $0.app == app }
    guard !regions.regions(of: app).isEmpty else { return }
    regions.removeAll(of: app)
    save(in: &store, &outputs)
  }

  /// Forgets for each region whether the device is inside, because the kill switch was switched on or off. Otherwise, a
  /// later notification could reveal a movement while the kill switch was on.
  mutating func forgetSides(in store: inout some RegionStore, _ outputs: inout Outputs) {
    guard !regions.isEmpty else { return }
    regions.forgetSides()
    save(in: &store, &outputs)
  }

  // MARK: Crossings

  /// Compares a new fix with the regions. The gateway saves the new sides before it sends a notification, so that no
  /// notification is sent twice after a crash.
  ///
  /// While the gateway saves the regions, it answers no app. An app could measure this delay, so the gateway also saves
  /// the regions at random times.
  /// - Parameter apps: The apps whose regions are compared.
  /// - Returns: The events at the borders of regions.
  mutating func compare(
    with fix: SealedFix, for apps: Set<AppID>, at now: MonotonicInstant, in store: inout some RegionStore,
    _ outputs: inout Outputs
  ) -> [(app: AppID, event: RegionEvent)] {
    guard !apps.isEmpty, fix.arrived != compared else { return [] }
    compared = fix.arrived
    let (crossings, isChanged) = regions.update(with: fix, for: apps)
    let isSaveDue = isIdleSaveDue(at: now)
    if isChanged || isSaveDue || !regions.isSaved { save(in: &store, &outputs) }
    return crossings.map { ($0.app, $0.event) }
  }

  /// Returns whether the time of a random save has passed, and then chooses the time of the next random save.
  private mutating func isIdleSaveDue(at now: MonotonicInstant) -> Bool {
    if let idleSave, now < idleSave { return false }
    defer {
      // The intervals are exponentially distributed, so the times of the saves are a Poisson process.
      idleSave = now + .seconds(-log(1 - Double.random(in: 0..<1)) * Self.idleSavePeriod)
    }
    return idleSave != nil
  }

  /// Stores an event until the app is notified. It replaces an earlier event of the same region, which is out of date.
  mutating func add(_ event: RegionEvent, of app: AppID, at now: MonotonicInstant) {
    pending.removeAll { $0.app == app && $0.event.region == event.region }
    pending.append(PendingCrossing(app: app, event: event, expires: now + Authorization.Bounds.grantLife))
  }

  /// Drops the waiting events of one app, or of all apps.
  mutating func erase(_ app: AppID?) { pending.removeAll { app == nil || $0.app == app } }

  /// Removes an event that was reported, or that is not reported any more.
  mutating func noteReported(_ crossing: PendingCrossing) { pending.removeAll { $0 == crossing } }

  // MARK: State

  var isEmpty: Bool { regions.isEmpty }

  var apps: [AppID] { regions.apps }

  func regions(of app: AppID) -> [Region] { regions.regions(of: app) }

  func region(_ id: String, of app: AppID) -> Region? { regions.region(id, of: app) }

  /// Returns the time at which an app registered a region; nil if the app has no such region.
  func registered(_ id: String, of app: AppID) -> UTCTime? { regions.registered(id, of: app) }

  func ownerJSON(_ region: Region, of app: AppID) -> String { regions.ownerJSON(region, of: app) }
}
