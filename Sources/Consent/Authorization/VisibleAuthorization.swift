import Base
package import LineProtocol

// The real authorization of an app, and the authorization that the app sees. (row B5)
extension Authorization {
  /// Returns the stored authorization of an app, or the default authorization for a new app.
  package func record(of app: AppID) -> AppRecord {
    records[app]
      ?? AppRecord(app: app, accuracy: configuration.newAppAccuracy[app] ?? configuration.defaultAccuracy)
  }

  /// Returns the real authorization status of an app. The app can be told another status (`visibleStatus`), to keep an
  /// answer of the user secret.
  package func status(of app: AppID) -> AuthorizationStatus {
    configuration.restrictedApps.contains(app) ? .restricted : record(of: app).status
  }

  /// Returns the reason to refuse a request of an app whose status is `denied` or `restricted`; nil for other apps. The
  /// command `REQ once` of a denied app is not refused, because a press of the button can open a prompt (authorization
  /// reference, row B4).
  func denial(of app: AppID) -> Refusal? {
    switch status(of: app) {
    case .denied: .denied
    case .restricted: .restricted
    case .notDetermined, .whenInUse, .always: nil
    }
  }

  /// Returns the authorization status that the app is told.
  ///
  /// - Parameter session: The session that is told the status; nil to ignore permissions that belong to one session
  ///   only (the answer *allow once*).
  package func visibleStatus(of app: AppID, in session: SessionID? = nil) -> AuthorizationStatus {
    let status = status(of: app)
    switch status {
    case .whenInUse: return record(of: app).seesAlways ? .always : .whenInUse
    case .notDetermined: return session.flatMap { sessions[$0]?.allowedOnce } == nil ? .notDetermined : .whenInUse
    case .always, .denied, .restricted: return status
    }
  }

  package func accuracy(of app: AppID, in session: SessionID? = nil) -> FixAccuracy {
    if let session, let session = sessions[session] {
      if session.isPreciseOnce { return .full }
      if let allowedOnce = session.allowedOnce { return allowedOnce }
    }
    return record(of: app).accuracy
  }

  /// Returns the accuracy of the answer to a request: the requested accuracy, limited by the permission of the app.
  ///
  /// - Parameter wanted: The requested accuracy; nil for full accuracy.
  package func accuracy(of app: AppID, in session: SessionID, wanted: FixAccuracy?) -> FixAccuracy {
    min(wanted ?? .full, accuracy(of: app, in: session))
  }

  /// Whether the user currently uses the app of a session. Each action of the user for the app, for example a press of
  /// the button, counts for some time. A connected app that the configuration calls a display is always in use.
  package func isInUse(_ session: SessionID) -> Bool {
    guard !isLocked, let session = sessions[session] else { return false }
    return session.use != nil || configuration.displays.contains(session.app)
  }

  /// Whether the user recently acted for the app of a session, for example by a press of the button. The result is
  /// false for displays on a wall.
  package func isInSight(_ session: SessionID) -> Bool {
    guard let session = sessions[session] else { return false }
    return session.use != nil && !configuration.displays.contains(session.app)
  }

  /// Returns the permission for fixes without a press of the button; nil if the session has no such permission
  /// (authorization reference, rows B1, C1 and C5).
  func standingRight(of session: SessionID) -> Right? {
    guard !isLocked, let app = sessions[session]?.app else { return nil }
    switch status(of: app) {
    case .always: return .always
    case .whenInUse: return isInUse(session) ? .whenInUse : nil
    case .notDetermined: return sessions[session]?.allowedOnce == nil ? nil : .allowedOnce
    case .denied, .restricted: return nil
    }
  }

  /// Whether the next request of a session must wait for the user's decision about "always". Such an app is told the
  /// status "always", but has only "while using" and is not in use (authorization reference, row B5).
  func needsAlways(_ session: SessionID) -> Bool {
    guard !isLocked, let app = sessions[session]?.app else { return false }
    return status(of: app) == .whenInUse && record(of: app).seesAlways && !isInUse(session)
  }

  /// Returns the earliest permitted arrival time of a measurement for a fix without a press of the button. The result
  /// is at most 60 s ago, and not before the latest change of the authorization or unlock of the gateway. Without
  /// "always", the result is also not before the user began to use the app.
  func earliestEpoch(of session: SessionID, right: Right, at now: MonotonicInstant) -> MonotonicInstant {
    var since = now - Bounds.oldestStandingEpoch
    if let app = sessions[session]?.app, let change = lastChanged[app] { since = max(since, change) }
    if let lastUnlock { since = max(since, lastUnlock) }
    switch right {
    case .whenInUse, .allowedOnce, .once:
      if let session = sessions[session] { since = max(since, session.use?.began ?? session.opened) }
    case .always: break
    }
    return since
  }

  /// Whether the fix for a press of the button is not delivered yet.
  var isPressFixInFlight: Bool { grants.values.contains { $0.press != nil } }

  package func isArmed(_ app: AppID) -> Bool { arms.hasValues(of: app) }

  // MARK: Changes

  /// Saves a changed record, and tells the app its authorization if the app can see the change.
  mutating func save(_ record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]) {
    let old = self.record(of: record.app)
    guard record != old else { return }
    let (visible, limit) = (visibleStatus(of: record.app), timeLimit(of: record.app))
    store(record)
    effects.append(.save(record))
    if record.status != old.status || record.accuracy != old.accuracy { lastChanged[record.app] = now }
    let isEndNew = timeLimit(of: record.app)?.end != limit?.end
    if visibleStatus(of: record.app) != visible || record.accuracy != old.accuracy || isEndNew {
      announce(record.app, into: &effects)
    }
  }

  /// Tells an app its authorization, at most once for each event.
  mutating func announce(_ app: AppID, into effects: inout [Effect]) {
    if announced.insert(app).inserted { effects.append(.announce(app)) }
  }

  /// Ends the false status `always` of an app that connects, if the user refused "always" at least a day ago. The app
  /// then learns its real status (authorization reference, row B5).
  mutating func showRealStatus(to app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    var record = record(of: app)
    guard let until = record.seesAlwaysUntil, until <= now else { return }
    record.seesAlwaysUntil = nil
    save(record, at: now, into: &effects)
  }

  /// Ends the requests, updates and prompts of an app whose authorization has changed (authorization reference, rows D1
  /// and D5).
  ///
  /// - Parameter lowers: Whether the app lost a permission. If true, grants (permissions for one fix) by a press of the
  ///   button end, too.
  mutating func endActivity(
    of app: AppID, lowers: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    withdrawPrompts(of: app, at: now, into: &effects)
    disarm(app, .changed, at: now, into: &effects)
    for grant in grants.values(of: app) where lowers || grant.press == nil {
      end(grant, .changed, at: now, into: &effects)
    }
    for session in sessions.keys(of: app) {
      endUpdates(of: session, .changed, into: &effects)
      for deferred in deferredStarts where deferred.session == session {
        end(deferred, .changed, at: now, into: &effects)
      }
      endRightsForOneUse(of: session, into: &effects)
    }
    deferredCrossings.removeAll { $0.app == app }
    guard lowers else { return }
    for session in sessions.keys(of: app) { sessions[session]?.endUse(at: now) }
  }
}
