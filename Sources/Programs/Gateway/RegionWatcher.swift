import Authorization
import Clocks
import Disclosure
import Glibc
import LineProtocol
import Logging
import Ports
import Telemetry

/// A crossing that an app has to be notified of. It waits for the light and for a client that lost its connection, until
/// it expires.
struct PendingCrossing: Hashable {
  let app: AppID
  let event: RegionEvent
  let expires: MonotonicInstant
}

/// The regions of apps, and the crossings that apps have to be notified of.
struct RegionWatcher {
  enum Input {
    /// `REGION ADD`, or `REGION DEL`. The right was checked.
    case change(Change.Kind, AppID, tag: String?, any ClientConnection, UTCTime)
    /// Changed regions were saved; the text is the cause if that failed.
    case saved(SealedRegions, Change?, failure: String?)
    /// The apps that may have regions now. Regions of others are deleted: an app that is allowed again asks again.
    case rightChanged(AppID, mayHave: Bool)
    /// The kill switch was thrown or released. Movements while the gateway is locked must stay unknown, also afterwards as
    /// the difference of two sides.
    case lockChanged
    /// A new fix. Only the regions of some apps are watched.
    case fix(SealedFix, for: Set<AppID>)
    /// An app has to be notified of a crossing.
    case report(AppID, RegionEvent)
    /// Crossings of an app, or of all, must not be reported any more.
    case erase(AppID?)
    case reported(PendingCrossing)
    /// Tries to report all crossings that wait.
    case reportAll
  }

  /// A change that an app asked for.
  struct Change {
    enum Kind {
      case add(Region)
      case remove(String)
    }

    let tag: String?
    let connection: any ClientConnection
  }

  /// An app may make 20 changes at once, and then one a minute, across its connections.
  static let changesAtOnce = 20
  static let changesPerSecond = 1.0 / 60
  /// The mean time after which regions are saved although nothing has changed, seconds.
  private static let idleSavePeriod = 600.0

  private var regions: SealedRegions
  /// The budgets of apps that made changes.
  private var budgets: [AppID: TokenBucket] = [:]
  private var pending: [PendingCrossing] = []
  /// When the fix arrived that was compared last.
  private var compared: MonotonicInstant?
  /// Whether the regions on the disk are older than these.
  private var isUnsaved: Bool
  /// When the regions are saved although nothing has changed.
  private var idleSave: MonotonicInstant?
  /// Why the saved regions cannot be read. Then nothing is written over them.
  private let fault: String?

  /// - Parameter isUnsaved: whether the regions differ from those on the disk.
  init(_ regions: SealedRegions = SealedRegions(), isUnsaved: Bool = false, fault: String? = nil) {
    self.regions = regions
    self.isUnsaved = isUnsaved
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
      // Only the latest event of a region is true.
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
      // An app that registers its regions at each start changes nothing.
      if regions.region(region.id, of: app) == region {
        return [.send(.ok(tag: change.tag, [:]), to: change.connection)]
      }
      guard changed.add(region, of: app, at: utc) else {
        return refuse(LineError(.tooMany, "an app has at most \(SealedRegions.most) regions; REGION DEL one first"))
      }
    case .remove(let id):
      guard regions.region(id, of: app) != nil else {
        return refuse(LineError(.badArgument, "there is no region \(id); REGION LIST lists them"))
      }
      changed.remove(id, of: app)
    }
    var budget =
      budgets[app] ?? TokenBucket(capacity: Self.changesAtOnce, perSecond: Self.changesPerSecond, at: now)
    let isAllowed = budget.consume(at: now)
    budgets[app] = budget
    guard isAllowed else {
      return refuse(
        LineError(.rateLimited, "regions were changed too often; wait"),
        ["retry-after": "\((budget.wait.milliseconds + 999) / 1000)"])
    }
    guard fault == nil else { return refuse(Self.unsaved) }
    return [.saveRegions(changed, change)]
  }

  private static let unsaved = LineError(.store, "the regions cannot be written; the owner's log says why")

  /// Changed regions hold from the moment at which they are on the disk.
  private mutating func note(_ saved: SealedRegions, _ change: Change?, _ failure: String?) -> [Action] {
    var actions: [Action] = []
    if let failure, change != nil || !isUnsaved {
      actions.append(.log(LogMessage(.regions, .error, "cannot write the regions", ["cause": failure])))
    }
    guard let change else {
      isUnsaved = failure != nil
      return actions
    }
    guard failure == nil else {
      return actions + [.send(.error(Self.unsaved, tag: change.tag, [:]), to: change.connection)]
    }
    regions = saved
    isUnsaved = false
    return [.send(.ok(tag: change.tag, [:]), to: change.connection)]
  }

  private func save() -> [Action] { fault == nil ? [.saveRegions(regions, nil)] : [] }

  // MARK: Crossings

  /// Compares a new fix with the regions. A side is saved before its event is reported: so an event is reported once,
  /// whatever happens.
  ///
  /// While the gateway saves, it answers no app. An app could measure these moments, so regions are saved at random times
  /// as well.
  private mutating func compare(_ fix: SealedFix, _ apps: Set<AppID>, at now: MonotonicInstant) -> [Action] {
    guard !apps.isEmpty, fix.arrived != compared else { return [] }
    compared = fix.arrived
    let (crossings, isChanged) = regions.update(with: fix, for: apps)
    let isSaveDue = isIdleSaveDue(at: now)
    return (isChanged || isSaveDue || isUnsaved ? save() : [])
      + crossings.map { .event(.regionCrossed($0.app, $0.event)) }
  }

  /// Whether a random time has come; the next one is drawn then.
  private mutating func isIdleSaveDue(at now: MonotonicInstant) -> Bool {
    if let idleSave, now < idleSave { return false }
    defer {
      // The times are a Poisson process.
      idleSave = now + .seconds(-log(1 - Double.random(in: 0..<1)) * Self.idleSavePeriod)
    }
    return idleSave != nil
  }

  // MARK: State

  /// Whether the regions on the disk are these.
  var isSaved: Bool { !isUnsaved }

  var isEmpty: Bool { regions.isEmpty }

  /// The apps that have regions.
  var apps: [AppID] { regions.apps }

  func regions(of app: AppID) -> [Region] { regions.regions(of: app) }

  func region(_ id: String, of app: AppID) -> Region? { regions.region(id, of: app) }

  func registered(_ id: String, of app: AppID) -> UTCTime? { regions.registered(id, of: app) }

  func ownerJSON(_ region: Region, of app: AppID) -> String { regions.ownerJSON(region, of: app) }
}
