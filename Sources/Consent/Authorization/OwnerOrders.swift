import Clocks

// D1: what owners change holds before the next byte leaves.
extension Authorization {
  mutating func obey(_ order: OwnerOrder, at now: MonotonicInstant, into effects: inout [Effect]) {
    switch order {
    case .use(let app):
      for session in sessions(of: app) { act(in: session, at: now) }
    case .setStatus(let app, let status):
      var record = record(of: app)
      switch status {
      case .restricted: return
      case .denied, .notDetermined:
        // "Ask next time" asks.
        record.isButtonConfirmed = false
      case .whenInUse, .always: break
      }
      record.status = status
      record.isProvisional = false
      record.seesAlwaysUntil = nil
      impose(record, at: now, into: &effects) { authorization, effects in
        authorization.save(record, at: now, into: &effects)
      }
    case .setAccuracy(let app, let accuracy):
      var record = record(of: app)
      record.accuracy = accuracy
      impose(record, at: now, into: &effects) { authorization, effects in
        authorization.save(record, at: now, into: &effects)
      }
    case .reset(let app):
      let fresh = Authorization(configuration: configuration).record(of: app)
      impose(fresh, at: now, into: &effects) { authorization, effects in
        authorization.forget(fresh, at: now, into: &effects)
      }
    case .configure(let configuration):
      take(configuration, at: now, into: &effects)
    }
  }

  /// What the owner has lowered in the configuration holds for apps that are known already; nothing is raised that way.
  var lowered: [AppRecord] {
    records.values.filter { $0.accuracy == .full && configuration.newAppAccuracy[$0.app] == .reduced }
      .map { record in
        var record = record
        record.accuracy = .reduced
        return record
      }
  }

  /// Apps for which the configuration changes anything begin anew under it; for all others everything goes on.
  private mutating func take(_ new: Configuration, at now: MonotonicInstant, into effects: inout [Effect]) {
    let old = self
    configuration = new
    for record in lowered { save(record, at: now, into: &effects) }
    for app in Set(records.keys).union(sessions.values.map(\.app)).sorted() {
      let (former, present) = (old.record(of: app), record(of: app))
      let (formerStatus, status) = (old.status(of: app), status(of: app))
      let wasDisplay = old.configuration.displays.contains(app)
      let isDisplay = new.displays.contains(app)
      guard formerStatus != status || former != present || wasDisplay != isDisplay else { continue }
      let lowers = status.rank < formerStatus.rank || present.isLess(than: former) || wasDisplay
      if formerStatus != status || former.accuracy != present.accuracy {
        changed[app] = now
        announce(app, into: &effects)
      }
      endEverything(of: app, lowers: lowers, at: now, into: &effects)
    }
  }

  private mutating func impose(
    _ record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect],
    keep: (inout Authorization, inout [Effect]) -> Void
  ) {
    let app = record.app
    let old = self.record(of: app)
    let hasAllowance = sessions.values.contains {
      $0.app == app && ($0.allowedOnce != nil || $0.isPreciseOnce)
    }
    guard record != old || hasAllowance else { return }
    let lowers = hasAllowance || record.isLess(than: old)
    keep(&self, &effects)
    endEverything(of: app, lowers: lowers, at: now, into: &effects)
  }

  /// - Parameter lowers: whether it takes something away: then what was given and not delivered is erased, and use ends.
  private mutating func endEverything(
    of app: AppID, lowers: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if lowers { effects.append(.eraseUndelivered(app)) }
    endEverything(of: app, at: now, into: &effects)
    guard lowers else { return }
    for session in sessions(of: app) {
      sessions[session]?.use = nil
      sessions[session]?.settleGrace(at: now)
    }
  }

  private mutating func forget(_ fresh: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]) {
    let visible = (visibleStatus(of: fresh.app), record(of: fresh.app).accuracy)
    records[fresh.app] = nil
    changed[fresh.app] = now
    effects.append(.forget(fresh.app))
    if visible != (visibleStatus(of: fresh.app), fresh.accuracy) { announce(fresh.app, into: &effects) }
  }
}

extension AppRecord {
  /// Whether it takes something away that another gives.
  func isLess(than other: AppRecord) -> Bool {
    status.rank < other.status.rank || other.seesAlways && status != .always
      || other.isButtonConfirmed && !isButtonConfirmed || other.accuracy == .full && accuracy == .reduced
  }
}

extension Status {
  /// The more, the more an app may know.
  package var rank: Int {
    switch self {
    case .restricted, .denied: 0
    case .notDetermined: 1
    case .whenInUse: 2
    case .always: 3
    }
  }
}
