import Authorization
import Clocks
import Glibc
import LineProtocol
import Ports
import Logging
import StateStore
import OperatingSystem

/// What the gateway keeps of regions beside them.
struct RegionKeeping {
  /// An app may change its regions 20 times at once, and then once a minute: whether it connects anew or not.
  static let changesAtOnce = 20
  static let changesPerSecond = 1.0 / 60

  /// Changes that are left, of apps that made any.
  var changes: [AppID: TokenBucket] = [:]
  /// Events that wait to be told.
  var news: [RegionNews] = []
  /// When the fix was measured that was looked at last.
  var looked: MonotonicInstant?
  /// What is known now could not be written yet.
  var isUnsaved = false
  /// When they are written although nothing has changed.
  var idleWrite: MonotonicInstant?
  /// Why what was kept cannot be read: then nothing is written over it.
  var fault: String?
}

/// An event of a region that is to be told to its app.
struct RegionNews: Hashable {
  let app: AppID
  let event: RegionEvent
  /// It waits for the light, and for a client that lost its connection, no longer than that.
  let expires: MonotonicInstant
}

/// `REGION ADD`, `DEL` and `LIST`: nothing here depends on where the device is.
extension Gateway {
  func perform(_ command: RegionCommand, tag: String?, of session: SessionID, on connection: any ClientConnection)
    throws
  {
    guard let app = sessions[session]?.app else { return }
    guard setup.allowsRegions else {
      throw LineError(.restricted, "the owner's configuration allows no regions (regions = true does)")
    }
    var changed = regions
    switch command {
    case .list:
      let own = regions.regions(of: app)
      for region in own {
        connection.send(.message(.init(topic: Topic.regions.rawValue, sid: "-", json: region.json)))
      }
      return connection.send(.ok(tag: tag, ["count": "\(own.count)"]))
    case .add(let region):
      if let refusal = refusalOfRegions(for: app, in: session) { throw refusal }
      // An app that registers at each start what it has registered changes nothing.
      if regions.region(region.id, of: app) == region { return connection.send(.ok(tag: tag, [:])) }
      guard changed.add(region, of: app, at: clock.utc) else {
        throw LineError(.tooMany, "an app has at most \(SealedRegions.most) regions; REGION DEL one first")
      }
    case .remove(let id):
      guard regions.region(id, of: app) != nil else {
        throw LineError(.badArgument, "there is no region \(id); REGION LIST lists them")
      }
      changed.remove(id, of: app)
    }
    if let wait = waitToChange(app) {
      let error = LineError(.rateLimited, "regions were changed too often; wait")
      return connection.send(.error(error, tag: tag, ["retry-after": "\((wait.milliseconds + 999) / 1000)"]))
    }
    try keep(changed)
    settle(at: SystemClock.monotonic)
    connection.send(.ok(tag: tag, [:]))
  }

  /// Whether an app may have regions: under a standing authorization, or as long as one of its sessions is allowed once.
  private func mayHaveRegions(_ app: AppID) -> Bool {
    Self.mayHaveRegions(authorization.status(of: app))
      || sessions.of(app).contains { Self.mayHaveRegions(authorization.visibleStatus(of: app, in: $0.id)) }
  }

  private static func mayHaveRegions(_ status: Status) -> Bool {
    switch status {
    case .whenInUse, .always: true
    case .notDetermined, .denied, .restricted: false
    }
  }

  private func refusalOfRegions(for app: AppID, in session: SessionID) -> LineError? {
    if authorization.isLocked { return LineError(.locked, Self.lockedText) }
    return switch authorization.visibleStatus(of: app, in: session) {
    case .whenInUse, .always: nil
    case .notDetermined: LineError(.notDetermined, "regions need a standing authorization; AUTHORIZE asks the person")
    case .denied: LineError(.denied, "this app was not allowed")
    case .restricted: LineError(.restricted, "the owner's configuration forbids it")
    }
  }

  /// Counts a change; how long to wait where there were too many.
  private func waitToChange(_ app: AppID) -> Duration? {
    let now = SystemClock.monotonic
    var bucket =
      regionKeeping.changes[app]
      ?? TokenBucket(
        capacity: RegionKeeping.changesAtOnce, perSecond: RegionKeeping.changesPerSecond, at: now)
    let isAllowed = bucket.consume(at: now)
    regionKeeping.changes[app] = bucket
    return isAllowed ? nil : bucket.wait
  }

  // MARK: On the disk

  /// Those that were kept, of apps that may still have them.
  static func keptRegions(
    in store: StateStore, _ setup: Setup, _ authorization: Authorization, _ logger: Logger
  ) -> (SealedRegions, RegionKeeping) {
    var (regions, keeping) = (SealedRegions(), RegionKeeping())
    do {
      guard setup.allowsRegions else {
        try store.erase(SealedRegions.name)
        return (regions, keeping)
      }
      regions = try SealedRegions(keptIn: store)
    } catch {
      keeping.fault = "\(error)"
      logger.error(
        "regions are not watched",
        metadata: [
          "cause": "\(error)",
          "remedy": "restore the device key or the state; or start once with regions = false, which forgets them",
        ])
    }
    for app in regions.apps where !mayHaveRegions(authorization.status(of: app)) {
      regions.removeAll(of: app)
      keeping.isUnsaved = true
    }
    if authorization.isLocked { regions.forgetSides() }
    return (regions, keeping)
  }

  /// Writes changed regions, and only then goes by them.
  /// - Throws: `LineError` 513 where they cannot be written: then all is as it was.
  private func keep(_ changed: SealedRegions) throws(LineError) {
    let refusal = LineError(.store, "the regions cannot be written; the owner's log says why")
    guard regionKeeping.fault == nil else { throw refusal }
    do {
      try timed(.sealed) { try changed.keep(in: store) }
    } catch {
      loggers.regions.error("regions cannot be written", metadata: ["cause": "\(error)"])
      throw refusal
    }
    regions = changed
    regionKeeping.isUnsaved = false
  }

  /// Writes what is known of the regions now; where that fails it is tried again with the next fix.
  private func keepRegions() {
    guard regionKeeping.fault == nil else { return }
    do {
      try timed(.sealed) { try regions.keep(in: store) }
      regionKeeping.isUnsaved = false
    } catch {
      if !regionKeeping.isUnsaved {
        loggers.regions.error("regions cannot be written", metadata: ["cause": "\(error)"])
      }
      regionKeeping.isUnsaved = true
    }
  }

  /// An app that has less than "while using" has no regions: nothing of its wishes stays when a person takes them back,
  /// and an app that is allowed anew asks anew.
  func dropRegions(of app: AppID) {
    regionKeeping.news.removeAll { $0.app == app && !mayHaveRegions(app) }
    guard !regions.isEmpty, !mayHaveRegions(app), !regions.regions(of: app).isEmpty else { return }
    regions.removeAll(of: app)
    keepRegions()
  }

  /// The kill switch was thrown or released. What the device does while it is locked is nobody's: not even afterwards,
  /// as the difference of two sides.
  func forgetSidesOfRegions() {
    guard !regions.isEmpty else { return }
    regions.forgetSides()
    keepRegions()
  }

  // MARK: Watching

  /// Apps that may have the regions that they have. One that would hear of an event itself is waited for: what happens
  /// meanwhile it hears when it is back. For the others the owners are told, who are always here.
  private var watchedApps: Set<AppID> {
    guard setup.allowsRegions, !authorization.isLocked, !regions.isEmpty else { return [] }
    return Set(
      regions.apps.filter { app in
        guard mayHaveRegions(app) else { return false }
        let hearsItself = authorization.status(of: app) == .always && authorization.record(of: app).accuracy == .full
        return !hearsItself || sessions.count(of: app) > 0
      })
  }

  var isWatchingRegions: Bool { !watchedApps.isEmpty }

  /// How long, in the mean, until regions are written again although nothing has changed.
  private static let idleWritePeriod = 600.0

  /// Lets the regions take a new fix. A side is written before its event is told: an event is told once, whatever happens.
  ///
  /// A write takes a moment in which no app is answered. So that one who listens for such moments cannot take one for a
  /// crossing, regions are written at random times as well.
  func watchRegions(at now: MonotonicInstant) {
    let apps = watchedApps
    guard !apps.isEmpty, let fix = reception.latest, fix.arrived != regionKeeping.looked else { return }
    regionKeeping.looked = fix.arrived
    let (crossings, isChanged) = takeFix(fix, for: apps)
    let isWriteDue = isIdleWriteDue(at: now)
    if isChanged || isWriteDue || regionKeeping.isUnsaved { keepRegions() }
    for (app, event) in crossings { handle(.regionCrossed(app, event)) }
  }

  /// Whether a random time has come; the next one is drawn then.
  private func isIdleWriteDue(at now: MonotonicInstant) -> Bool {
    if let due = regionKeeping.idleWrite, now < due { return false }
    defer {
      // As long as between two events that know nothing of each other.
      let pause = -log(1 - Double.random(in: 0..<1)) * Self.idleWritePeriod
      regionKeeping.idleWrite = now + .seconds(pause)
    }
    return regionKeeping.idleWrite != nil
  }

  /// Tells an app of its region, or holds that until it can be told; of a region's events the latest is true.
  func tell(_ app: AppID, _ event: RegionEvent, at now: MonotonicInstant) {
    regionKeeping.news.removeAll { $0.app == app && $0.event.region == event.region }
    regionKeeping.news.append(RegionNews(app: app, event: event, expires: now + Authorization.Bounds.grantLife))
    tellRegions(at: now)
  }

  /// Tells what waits to be told.
  func tellRegions(at now: MonotonicInstant) {
    for news in regionKeeping.news {
      let withheld = disclose(news, at: now)
      if withheld == .pending { continue }
      regionKeeping.news.removeAll { $0 == news }
      switch withheld {
      case nil:
        counts.regionEvents += 1
        loggers.regions.info("a region's event was told", metadata: ["app": "\(news.app)"])
      case .pending?, .revoked?: break
      case .indicator(let cause)?, .store(let cause)?, .cloak(let cause)?:
        loggers.regions.error("a region's event was withheld", metadata: ["app": "\(news.app)", "cause": "\(cause)"])
      }
    }
  }
}
