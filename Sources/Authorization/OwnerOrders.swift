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
  /// How much it gives.
  fileprivate var rank: Int {
    switch self {
    case .restricted, .denied: 0
    case .notDetermined: 1
    case .whenInUse: 2
    case .always: 3
    }
  }
}
