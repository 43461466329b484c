import Clocks

// What is known of an app, and what it may see of that.
extension Authorization {
  /// The app's record, or the one that a new app gets.
  package func record(of app: AppID) -> AppRecord {
    records[app]
      ?? AppRecord(app: app, accuracy: configuration.newAppAccuracy[app] ?? configuration.defaultAccuracy)
  }

  package func status(of app: AppID) -> Status {
    configuration.restrictedApps.contains(app) ? .restricted : record(of: app).status
  }

  /// The status as the app may see it in a session; nil is any that has nothing of its own.
  package func visibleStatus(of app: AppID, in session: SessionID? = nil) -> Status {
    let status = status(of: app)
    switch status {
    case .whenInUse: return record(of: app).seesAlways ? .always : .whenInUse
    case .notDetermined: return session.flatMap { sessions[$0]?.allowedOnce } == nil ? .notDetermined : .whenInUse
    case .always, .denied, .restricted: return status
    }
  }

  /// How precisely a session may know it.
  package func accuracy(of app: AppID, in session: SessionID? = nil) -> Accuracy {
    guard let session = session.flatMap({ sessions[$0] }) else { return record(of: app).accuracy }
    return session.isPreciseOnce ? .full : session.allowedOnce ?? record(of: app).accuracy
  }

  /// Whether a session's app is in use: a person acted for it a while ago, or it is a display on the wall.
  package func isInUse(_ session: SessionID) -> Bool {
    guard !isLocked, let session = sessions[session] else { return false }
    return session.use != nil || configuration.displays.contains(session.app)
  }

  /// Whether a session's app is before a person: in use, and no display on the wall.
  package func isInSight(_ session: SessionID) -> Bool {
    guard let use = sessions[session] else { return false }
    return use.use != nil && !configuration.displays.contains(use.app)
  }

  /// Whether something of an app waits for its first fix, or seems to it to do so (B5).
  package func seemsToAcquire(_ app: AppID) -> Bool {
    heldStarts.contains { $0.app == app } || updates.values.contains { $0.app == app && $0.firstFixDue != nil }
  }

  /// By which right a session gets fixes without a press. (C1, C5; B1)
  func standingRight(of session: SessionID) -> Right? {
    guard !isLocked, let app = sessions[session]?.app else { return nil }
    switch status(of: app) {
    case .always: return .always
    case .whenInUse: return isInUse(session) ? .whenInUse : nil
    case .notDetermined: return sessions[session]?.allowedOnce == nil ? nil : .allowedOnce
    case .denied, .restricted: return nil
    }
  }

  /// Whether the app believes that it may start at any time, and may not. (B5)
  func needsAlways(_ session: SessionID) -> Bool {
    guard !isLocked, let app = sessions[session]?.app else { return false }
    return status(of: app) == .whenInUse && record(of: app).seesAlways && !isInUse(session)
  }

  /// No fix under a standing right is older than that: than the authorization, the last unlock, or the start of use.
  func standingSince(of session: SessionID, right: Right, at now: MonotonicInstant) -> MonotonicInstant {
    var since = now - Bounds.oldestStandingEpoch
    if let app = sessions[session]?.app, let changed = changed[app] { since = max(since, changed) }
    if let unlocked { since = max(since, unlocked) }
    switch right {
    case .whenInUse, .allowedOnce, .once:
      if let session = sessions[session] { since = max(since, session.use?.began ?? session.opened) }
    case .always: break
    }
    return since
  }

  /// Whether a fix that a press asked for is in flight, under a one-time grant or a standing authorization.
  var isPressFixInFlight: Bool { grants.values.contains { $0.press != nil } }

  /// Whether an app waits for a person's answer.
  package func isAsking(_ app: AppID) -> Bool { asks[app] != nil }

  /// Whether an app waits for a press.
  package func isArmed(_ app: AppID) -> Bool { arms.values.contains { $0.app == app } }

  /// The sessions of an app, in the order of their numbers.
  func sessions(of app: AppID) -> [SessionID] { sessions.filter { $0.value.app == app }.keys.sorted() }

  // MARK: Changes

  /// Keeps a record where it differs. The app is told where it can see the difference.
  mutating func save(_ record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]) {
    let old = self.record(of: record.app)
    guard record != old else { return }
    let visible = visibleStatus(of: record.app)
    records[record.app] = record
    effects.append(.save(record))
    if record.status != old.status || record.accuracy != old.accuracy { changed[record.app] = now }
    if visibleStatus(of: record.app) != visible || record.accuracy != old.accuracy {
      announce(record.app, into: &effects)
    }
  }

  func announce(_ app: AppID, into effects: inout [Effect]) {
    if !effects.contains(.announce(app)) { effects.append(.announce(app)) }
  }

  /// B5: at its first HELLO after a day the app sees that it has less than "always".
  mutating func showTruth(to app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    var record = record(of: app)
    guard let until = record.seesAlwaysUntil, until <= now else { return }
    record.seesAlwaysUntil = nil
    save(record, at: now, into: &effects)
  }

  /// D1, D5: what an app has armed, asked or under way ends with the authorization under which it did.
  mutating func endEverything(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    withdrawPrompts(of: app, at: now, into: &effects)
    disarm(app, .changed, at: now, into: &effects)
    for grant in sortedGrants where grant.app == app { end(grant, .changed, at: now, into: &effects) }
    for session in sessions(of: app) {
      endUpdates(of: session, .changed, into: &effects)
      for held in heldStarts where held.session == session { drop(held, .changed, at: now, into: &effects) }
      if sessions[session]?.allowedOnce != nil || sessions[session]?.isPreciseOnce == true {
        sessions[session]?.allowedOnce = nil
        sessions[session]?.isPreciseOnce = false
        announce(app, into: &effects)
      }
    }
    heldRegions.removeAll { $0.app == app }
  }
}
