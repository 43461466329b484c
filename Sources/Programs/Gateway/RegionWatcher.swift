import Authorization
import Clocks
import Disclosure
import Glibc
import LineProtocol
import Logging
import Ports
import Telemetry

/// An event at the border of an app's region, before the app is notified. The event waits for the indicator and for the
/// app's client until it expires.
struct PendingCrossing: Hashable {
  let app: AppID
  let event: RegionEvent
  let expires: MonotonicInstant
}

/// The regions of the apps. Events at the borders of regions are stored until the apps are notified.
struct RegionWatcher {
  enum Input {
    /// The command `REGION ADD` or `REGION DEL`, after the check that the app may have regions.
    case change(Change.Kind, AppID, tag: String?, any ClientConnection, UTCTime)
    /// The result of a save. `failure` is the cause of a failed save.
    case saved(SealedRegions, Change?, failure: String?)
    /// The right of an app to have regions may have changed. An app that has lost the right also loses its regions, and
    /// must register them again later.
    case rightChanged(AppID, mayHave: Bool)
    /// The kill switch was switched on or off. The gateway then forgets for each region whether the device is inside.
    /// Otherwise, a later notification could reveal a movement while the kill switch was on.
    case lockChanged
    /// A new fix, and the apps whose regions are compared with it.
    case fix(SealedFix, for: Set<AppID>)
    case report(AppID, RegionEvent)
    /// Drops the waiting events of one app, or of all apps.
    case erase(AppID?)
    case reported(PendingCrossing)
    case reportAll
  }

  struct Change {
    enum Kind {
      case add(Region)
      case remove(String)
    }

    let tag: String?
    let connection: any ClientConnection
  }

  /// The limits for changes of regions by one app: 20 changes in a short time, and then one change per minute.
  static let changesAtOnce = 20
  static let changesPerSecond = 1.0 / 60
  /// The average time between two saves without a change, in seconds. These saves occur at random times.
  private static let idleSavePeriod = 600.0

  private var regions: SealedRegions
  private var budgets: [AppID: TokenBucket] = [:]
  private var pending: [PendingCrossing] = []
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

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .change(let kind, let app, let tag, let connection, let utc):
      return change(kind, of: app, Change(tag: tag, connection: connection), at: now, utc)
    case .saved(let saved, let change, let failure): return note(saved, change, failure)
    case .rightChanged(let app, let mayHave):
      guard !mayHave else { break }
      pending.removeAll { $0.app == app }
      guard !regions.regions(of: app).isEmpty else { break }
      regions.removeAll(of: app)
      return save()
    case .lockChanged:
      guard !regions.isEmpty else { break }
      regions.forgetSides()
      return save()
    case .fix(let fix, let apps): return compare(fix, apps, at: now)
    case .report(let app, let event):
      // The new event replaces an earlier event of the same region. The earlier event is out of date.
      pending.removeAll { $0.app == app && $0.event.region == event.region }
      pending.append(PendingCrossing(app: app, event: event, expires: now + Authorization.Bounds.grantLife))
      return pending.map(Action.reportCrossing)
    case .erase(let app): pending.removeAll { app == nil || $0.app == app }
    case .reported(let crossing): pending.removeAll { $0 == crossing }
    case .reportAll: return pending.map(Action.reportCrossing)
    }
    return []
  }

  var nextDeadline: MonotonicInstant? { pending.map(\.expires).min() }

  // MARK: Changes

  private mutating func change(
    _ kind: Change.Kind, of app: AppID, _ change: Change, at now: MonotonicInstant, _ utc: UTCTime
  ) -> [Action] {
    func refuse(_ error: LineError, _ fields: ServerLine.Fields = [:]) -> [Action] {
      [.send(.error(error, tag: change.tag, fields), to: change.connection)]
    }
    var changed = regions
    switch kind {
    case .add(let region):
      // Some apps register the same regions again at each start. An unchanged region is not saved again.
      if regions.region(region.id, of: app) == region {
        return [.send(.ok(tag: change.tag, [:]), to: change.connection)]
      }
      guard changed.add(region, of: app, at: utc) else {
        return refuse(
          LineError(.tooMany, "an app can have at most \(SealedRegions.most) regions (remove one with REGION DEL)"))
      }
    case .remove(let id):
      guard regions.region(id, of: app) != nil else {
        return refuse(LineError(.badArgument, "no region \(id) (REGION LIST lists the regions)"))
      }
      changed.remove(id, of: app)
    }
    var budget =
      budgets[app] ?? TokenBucket(capacity: Self.changesAtOnce, perSecond: Self.changesPerSecond, at: now)
    let isAllowed = budget.consume(at: now)
    budgets[app] = budget
    guard isAllowed else {
      return refuse(
        LineError(.rateLimited, "the app changed its regions too often (wait)"),
        ["retry-after": "\(budget.wait.secondsRoundedUp)"])
    }
    guard fault == nil else { return refuse(Self.unsaved) }
    return [.saveRegions(changed, change)]
  }

  private static let unsaved = LineError(.store, "the gateway cannot save the regions (its log has the cause)")

  /// Handles the result of a save. A change takes effect only if it is durable.
  private mutating func note(_ saved: SealedRegions, _ change: Change?, _ failure: String?) -> [Action] {
    var actions: [Action] = []
    if let failure, change != nil || !isFailing {
      actions.append(.log(LogMessage(.regions, .error, "cannot write the regions", ["cause": failure])))
    }
    isFailing = failure != nil && (change == nil || isFailing)
    if failure == nil {
      regions = saved
      regions.noteSaved()
    }
    guard let change else { return actions }
    guard failure == nil else {
      return actions + [.send(.error(Self.unsaved, tag: change.tag, [:]), to: change.connection)]
    }
    return [.send(.ok(tag: change.tag, [:]), to: change.connection)]
  }

  private func save() -> [Action] { fault == nil ? [.saveRegions(regions, nil)] : [] }

  // MARK: Crossings

  /// Compares a new fix with the regions. The gateway saves a crossing before it sends the notification, so that no
  /// notification is sent twice after a crash.
  ///
  /// While the gateway saves the regions, it answers no app. An app could measure this delay, so the gateway also saves
  /// the regions at random times.
  private mutating func compare(_ fix: SealedFix, _ apps: Set<AppID>, at now: MonotonicInstant) -> [Action] {
    guard !apps.isEmpty, fix.arrived != compared else { return [] }
    compared = fix.arrived
    let (crossings, isChanged) = regions.update(with: fix, for: apps)
    let isSaveDue = isIdleSaveDue(at: now)
    return (isChanged || isSaveDue || !regions.isSaved ? save() : [])
      + crossings.map { .event(.regionCrossed($0.app, $0.event)) }
  }

  /// Returns whether the time of a random save has passed. If so, the function chooses the time of the next random
  /// save.
  private mutating func isIdleSaveDue(at now: MonotonicInstant) -> Bool {
    if let idleSave, now < idleSave { return false }
    defer {
      // The intervals are exponentially distributed, so the times of the saves are a Poisson process.
      idleSave = now + .seconds(-log(1 - Double.random(in: 0..<1)) * Self.idleSavePeriod)
    }
    return idleSave != nil
  }

  // MARK: State

  var isEmpty: Bool { regions.isEmpty }

  var apps: [AppID] { regions.apps }

  func regions(of app: AppID) -> [Region] { regions.regions(of: app) }

  func region(_ id: String, of app: AppID) -> Region? { regions.region(id, of: app) }

  func registered(_ id: String, of app: AppID) -> UTCTime? { regions.registered(id, of: app) }

  func ownerJSON(_ region: Region, of app: AppID) -> String { regions.ownerJSON(region, of: app) }
}
