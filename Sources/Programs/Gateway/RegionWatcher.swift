import Authorization
import Base
import Disclosure
import Glibc
import LineProtocol
import Logging
import OperatingSystem
import Ports

/// A region event (the device has entered or left a region of an app) that is not sent yet. The event waits for the
/// indicator LED and for the client of the app, until the event expires.
struct PendingCrossing: Hashable {
  let app: AppID
  let event: RegionEvent
  let expires: MonotonicInstant
}

/// The error for an app whose command about a region was refused.
struct RegionRefusal: Error {
  let error: LineError
  /// Additional fields of the error reply, such as `retry-after`.
  let fields: ServerLine.Fields

  init(_ code: ErrorCode, _ text: String, _ fields: ServerLine.Fields = [:]) {
    error = LineError(code, text)
    self.fields = fields
  }
}

/// A type that saves the regions of the apps. A region is a circle: its app gets an event when the device enters or
/// leaves the circle.
protocol RegionStore {
  /// Saves the regions of all apps: those that have changed, or all of them if `isWhole` is true.
  /// - Returns: The text of the error; nil after success.
  mutating func save(_ regions: SealedRegions, isWhole: Bool) -> String?
}

/// Compares fixes with the regions of the apps (circles), and stores the unsent events: the device has entered or left
/// a region.
struct RegionWatcher {
  enum Change {
    case add(Region)
    case remove(String)
  }

  /// The count of changes of regions that an app may make immediately one after the other.
  static let changesAtOnce = 20
  static let changesPerSecond = 1.0 / 60
  /// The mean time between two saves of all regions at random times, in seconds.
  private static let wholeSavePeriod = 600.0

  private var regions: SealedRegions
  /// The limit on changes of regions for each app.
  private var budgets: [AppID: TokenBucket] = [:]
  /// The unsent region events (the device has entered or left a region), oldest first.
  private(set) var pending: [PendingCrossing] = []
  /// The arrival time of the last fix that was compared with the regions; nil before the first fix.
  private var compared: MonotonicInstant?
  /// Whether the failure of the last save is already logged. Saves for a command of an app are not included.
  private var isFailing = false
  /// The apps that got the events of their regions themselves at the latest fix; nil before the first fix.
  private var told: Set<AppID>?
  /// The randomly chosen instant of the next save of all regions; nil before the first fix.
  private var wholeSave: MonotonicInstant?
  /// The error that occurred when the saved regions were read; nil if the regions were read. After an error, the
  /// gateway does not overwrite the saved regions.
  private let fault: String?

  init(_ regions: SealedRegions = SealedRegions(), fault: String? = nil) {
    self.regions = regions
    self.fault = fault
  }

  var nextDeadline: MonotonicInstant? { pending.map(\.expires).min() }

  // MARK: Changes

  /// Executes the command `REGION ADD` or `REGION DEL` of an app that may have regions. If the change cannot be saved,
  /// the regions stay unchanged.
  /// - Throws: The error reply for the app.
  mutating func execute(
    _ change: Change, of app: AppID, at now: ClockReading, in store: inout some RegionStore, _ outputs: inout Outputs
  ) throws(RegionRefusal) {
    var changed = regions
    // A command that takes something back is never refused. An app can remove only regions whose addition was counted.
    let isRemoval: Bool
    switch change {
    case .add(let region):
      isRemoval = false
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
      isRemoval = true
    }
    var budget =
      budgets[app] ?? TokenBucket(capacity: Self.changesAtOnce, perSecond: Self.changesPerSecond, at: now.monotonic)
    let isAllowed = budget.consume(at: now.monotonic)
    budgets[app] = budget
    guard isAllowed || isRemoval else {
      throw RegionRefusal(
        .rateLimited, "the app changed its regions too often (wait)",
        ["retry-after": "\(budget.wait.secondsRoundedUp)"])
    }
    if fault == nil {
      guard let cause = store.save(changed, isWhole: false) else { return adopt(changed) }
      Self.report(cause, &outputs)
    }
    throw RegionRefusal(.store, "the gateway cannot save the regions (its log has the cause)")
  }

  /// Replaces the regions in memory by the regions that were just saved.
  private mutating func adopt(_ saved: SealedRegions) {
    regions = saved
    regions.noteSaved()
    isFailing = false
  }

  /// Saves the regions for any reason except a command of an app. A failure is logged. The next fix causes another
  /// attempt for the changes that must be saved at once.
  private mutating func save(
    isWhole: Bool = false, in store: inout some RegionStore, _ outputs: inout Outputs
  ) {
    guard fault == nil else { return }
    guard let cause = store.save(regions, isWhole: isWhole) else { return adopt(regions) }
    if !isFailing { Self.report(cause, &outputs) }
    isFailing = true
  }

  private static func report(_ cause: String, _ outputs: inout Outputs) {
    outputs.log(.regions, .error, "cannot write the regions", ["cause": cause])
  }

  /// Removes all regions of an app that may no longer have regions. A later permission does not restore the regions.
  mutating func removeAll(of app: AppID, in store: inout some RegionStore, _ outputs: inout Outputs) {
    pending.removeAll { $0.app == app }
    guard !regions.regions(of: app).isEmpty else { return }
    regions.removeAll(of: app)
    save(in: &store, &outputs)
  }

  /// Erases for each region whether the device is inside. The gateway calls this function after each change of the kill
  /// switch, so that no later event reveals a movement during the locked time.
  mutating func forgetSides(in store: inout some RegionStore, _ outputs: inout Outputs) {
    guard !regions.isEmpty else { return }
    regions.forgetSides()
    save(in: &store, &outputs)
  }

  /// Saves all regions before the gateway ends, so that no crossing is reported again after the next start.
  mutating func stop(in store: inout some RegionStore, _ outputs: inout Outputs) {
    if !regions.isEmpty || !regions.isSaved { save(isWhole: true, in: &store, &outputs) }
  }

  // MARK: Crossings

  /// Compares a new fix with the regions. If an app itself gets an event, the function first saves whether the device is
  /// inside the region, so that a crash cannot repeat the event.
  ///
  /// A save delays the replies to apps, and the delay would reveal a crossed border. The other regions are therefore
  /// saved only at random times, and then all of them. After a crash, owners may get an event again.
  /// - Parameters:
  ///   - apps: The apps whose regions are compared.
  ///   - told: The apps that get the events of their regions themselves.
  /// - Returns: One event for each region that the device has entered or left.
  mutating func compare(
    with fix: SealedFix, for apps: Set<AppID>, told: Set<AppID>, at now: MonotonicInstant,
    in store: inout some RegionStore, _ outputs: inout Outputs
  ) -> [(app: AppID, event: RegionEvent)] {
    guard !apps.isEmpty else {
      // The removal of the last region may have failed. The region must not come back after a restart.
      if !regions.isSaved { save(in: &store, &outputs) }
      return []
    }
    guard fix.arrived != compared else { return [] }
    compared = fix.arrived
    // An app must not get an event of a crossing that only owners were told, also after a crash.
    for app in self.told.map({ told.subtracting($0) }) ?? [] { regions.noteUnsaved(of: app) }
    self.told = told
    let crossings = regions.update(with: fix, for: apps, told: told)
    let isWhole = isWholeSaveDue(at: now)
    if isWhole || !regions.isSaved { save(isWhole: isWhole, in: &store, &outputs) }
    return crossings.map { ($0.app, $0.event) }
  }

  /// Returns whether the random time for a save of all regions has come. If true, the function chooses the next random
  /// time.
  private mutating func isWholeSaveDue(at now: MonotonicInstant) -> Bool {
    if let wholeSave, now < wholeSave { return false }
    defer {
      // The intervals are exponentially distributed, so the times of the saves are a Poisson process.
      wholeSave = now + .seconds(-log(1 - Double.random(in: 0..<1)) * Self.wholeSavePeriod)
    }
    return wholeSave != nil
  }

  /// Stores an unsent event (the device has entered or left a region). The event replaces an older event of the same
  /// region.
  mutating func add(_ event: RegionEvent, of app: AppID, at now: MonotonicInstant) {
    pending.removeAll { $0.app == app && $0.event.region == event.region }
    pending.append(PendingCrossing(app: app, event: event, expires: now + Authorization.Bounds.grantLife))
  }

  /// Removes the unsent region events of an app, or of all apps if `app` is nil.
  mutating func erase(_ app: AppID?) { pending.removeAll { app == nil || $0.app == app } }

  /// Removes an event from `pending` after the event was sent or dropped.
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
