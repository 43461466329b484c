import Base
package import LineProtocol

// Changes by owners, which take effect before the next byte is sent. (row D1)
extension Authorization {
  mutating func apply(_ order: OwnerChange, at now: MonotonicInstant, into effects: inout [Effect]) {
    switch order {
    case .use(let app):
      for session in sessions.keys(of: app) { recordUserAct(in: session, at: now) }
    case .setStatus(let app, let status, let duration):
      var record = record(of: app)
      let limit = duration.flatMap { timeLimit(of: app, status, lasting: $0, at: now) }
      if duration != nil, limit == nil { return }
      switch status {
      case .restricted: return
      case .denied, .notDetermined:
        // The next press must open a prompt again.
        record.isButtonConfirmed = false
      case .whenInUse, .always: break
      }
      record.status = status
      record.isProvisional = false
      record.seesAlwaysUntil = nil
      record.timeLimit = limit
      replaceRecord(with: record, at: now, into: &effects) { authorization, effects in
        authorization.save(record, at: now, into: &effects)
      }
    case .setAccuracy(let app, let accuracy):
      var record = record(of: app)
      record.accuracy = accuracy
      replaceRecord(with: record, at: now, into: &effects) { authorization, effects in
        authorization.save(record, at: now, into: &effects)
      }
    case .endPause(let app):
      var record = record(of: app)
      guard record.promptPause != nil else { return }
      record.promptPause = nil
      save(record, at: now, into: &effects)
    case .reset(let app):
      let fresh = Authorization(configuration: configuration).record(of: app)
      replaceRecord(with: fresh, at: now, into: &effects) { authorization, effects in
        authorization.forget(fresh, at: now, into: &effects)
      }
    case .configure(let configuration):
      apply(configuration, at: now, into: &effects)
    }
  }

  /// The records of the apps whose accuracy the configuration lowers. Each record contains the lower accuracy.
  var recordsToLower: [AppRecord] {
    records.values.compactMap { record in
      guard let accuracy = configuration.newAppAccuracy[record.app], accuracy < record.accuracy else { return nil }
      var record = record
      record.accuracy = accuracy
      return record
    }
  }

  /// Applies a new configuration. If the authorization of an app changes, its requests, grants (permissions for one
  /// fix) and updates end.
  private mutating func apply(_ new: Configuration, at now: MonotonicInstant, into effects: inout [Effect]) {
    let old = self
    configuration = new
    // After a change of the apps of a button, every mark is new (row A9).
    if new.boundApps != old.configuration.boundApps { marks = [:] }
    // Undelivered fixes are erased before any write, because a write takes time.
    let lowered = recordsToLower
    for record in lowered { effects.append(.eraseUndelivered(record.app)) }
    for record in lowered {
      store(record)
      // The announcements follow, so that one transaction can save all these records.
      effects.append(.save(record))
    }
    let erased = Set(lowered.map(\.app))
    for app in Set(records.keys).union(sessions.apps).sorted() {
      let (former, present) = (old.record(of: app), record(of: app))
      let (formerStatus, status) = (old.status(of: app), status(of: app))
      let wasDisplay = old.configuration.displays.contains(app)
      let isDisplay = new.displays.contains(app)
      guard formerStatus != status || former != present || wasDisplay != isDisplay else { continue }
      let lowers = status.rank < formerStatus.rank || present.givesLess(than: former) || wasDisplay
      if formerStatus != status || former.accuracy != present.accuracy {
        lastChanged[app] = now
        announce(app, into: &effects)
      }
      if lowers, !erased.contains(app) { effects.append(.eraseUndelivered(app)) }
      endActivity(of: app, lowers: lowers, at: now, into: &effects)
    }
  }

  /// Replaces the stored record of an app. If its permissions change, or if a prompt about the app is open, the
  /// requests, grants (permissions for one fix) and updates of the app end.
  ///
  /// - Parameter save: A closure that saves the new record. Before this call, undelivered fixes without permission are
  ///   erased.
  mutating func replaceRecord(
    with record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect],
    save: (inout Authorization, inout [Effect]) -> Void
  ) {
    let app = record.app
    let old = self.record(of: app)
    let hasAllowance = sessions.values(of: app).contains { $0.allowedOnce != nil || $0.isPreciseOnce }
    // An owner's command answers the open prompt, even if the command changes nothing.
    // The app must not learn of a prompt for "always" (row B5).
    let isAsked = prompts.contains { $0.app == app && $0.kind != .always }
    guard record != old || hasAllowance || isAsked else { return }
    var sameEnd = record
    sameEnd.timeLimit = old.timeLimit
    // A new end of the same authorization ends no request, and no permission that belongs only to one session.
    if sameEnd == old, record != old { return save(&self, &effects) }
    let lowers = hasAllowance || record.givesLess(than: old)
    // Undelivered fixes are erased before the write of the record, because a write takes time.
    if lowers { effects.append(.eraseUndelivered(app)) }
    save(&self, &effects)
    endActivity(of: app, lowers: lowers, at: now, into: &effects)
  }

  private mutating func forget(_ fresh: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]) {
    let visible = (visibleStatus(of: fresh.app), record(of: fresh.app).accuracy)
    removeRecord(of: fresh.app)
    lastChanged[fresh.app] = now
    effects.append(.forget(fresh.app))
    if visible != (visibleStatus(of: fresh.app), fresh.accuracy) { announce(fresh.app, into: &effects) }
  }
}

extension AppRecord {
  /// Whether the other record gives a permission that this record does not give.
  func givesLess(than other: AppRecord) -> Bool {
    status.rank < other.status.rank || other.seesAlways && status != .always
      || other.isButtonConfirmed && !isButtonConfirmed || accuracy < other.accuracy
  }
}

extension AuthorizationStatus {
  /// How much the status permits, from 0 (nothing) to 3 (fixes at any time).
  package var rank: Int {
    switch self {
    case .restricted, .denied: 0
    case .notDetermined: 1
    case .whenInUse: 2
    case .always: 3
    }
  }
}
