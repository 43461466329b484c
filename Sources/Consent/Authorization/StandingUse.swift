import Base
import LineProtocol

// Standing use: fixes without a press, under a standing authorization. (rows C1 to C6)
extension Authorization {
  // MARK: Updates

  mutating func start(
    _ request: RequestID, in session: SessionID, background: Bool, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // No updates while locked (D4)
    if let denial = denial(of: app) { return effects.append(.refuse(request, denial)) }  // Without a prompt (B4)
    if updates[session] != nil || deferredStarts.contains(where: { $0.session == session && $0.kind != .once }) {
      return effects.append(.refuse(request, .alreadyStarted))
    }
    let right = standingRight(of: session)
    guard right != nil || needsAlways(session) else {
      let isDetermined = visibleStatus(of: app, in: session) != .notDetermined
      return effects.append(.refuse(request, isDetermined ? .notInUse : .notDetermined))  // Not in use (C2)
    }
    // No updates while the indicator is not visible (row C6).
    if let illegible { return effects.append(.refuse(request, .illegible(illegible))) }
    effects.append(.acquire(request))
    let kind = background ? DeferredStart.Kind.updatesInBackground : .updates
    if let right {
      begin(request, in: session, kind, by: right, at: now, into: &effects)  // Served at once (C1, C5)
    } else {  // Deferred until the user answers (B5)
      let deadline = now + Bounds.grantLife
      deferStart(
        DeferredStart(request: request, session: session, app: app, kind: kind, deadline: deadline), at: now,
        into: &effects)
    }
  }

  /// Begins continuous updates for a session. The caller must already have checked the permission.
  mutating func begin(
    _ request: RequestID, in session: SessionID, _ kind: DeferredStart.Kind, by right: Right, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return }
    let started = Updates(
      request: request, session: session, app: app, right: right,
      // The right *allow once* does not include updates in the background (row C3).
      goesOnInBackground: kind == .updatesInBackground && right != .allowedOnce, began: now,
      notBefore: earliestEpoch(of: session, right: right, at: now), firstFixDue: now + Bounds.grantLife)
    updates[session] = started
    updatedSessions[request] = session
    effects.append(.begin(started))
  }

  mutating func stop(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    endUpdates(of: session, .cancelled, into: &effects)
    for deferred in deferredStarts where deferred.session == session && deferred.kind != .once {
      end(deferred, .cancelled, at: now, into: &effects)
    }
  }

  mutating func endUpdates(of session: SessionID, _ ending: Ending, into effects: inout [Effect]) {
    guard let ended = removeUpdates(of: session) else { return }
    effects.append(.end(ended.request, ending))
  }

  @discardableResult
  mutating func removeUpdates(of session: SessionID) -> Updates? {
    guard let removed = updates.removeValue(forKey: session) else { return nil }
    updatedSessions[removed.request] = nil
    return removed
  }

  // MARK: In use

  /// Records an action of the user for the app of a session, for example a press of the button. While the gateway is
  /// locked, the action does not count.
  mutating func recordUserAct(in session: SessionID, at instant: MonotonicInstant) {
    if !isLocked { sessions[session]?.recordUserAct(at: instant) }
  }

  mutating func setBackground(_ id: SessionID, to isInBackground: Bool, at now: MonotonicInstant) {
    sessions[id]?.isInBackground = isInBackground
    sessions[id]?.settleGrace(at: now)
  }

  mutating func disconnect(_ id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    sessions[id]?.isAway = true
    sessions[id]?.settleGrace(at: now)
    // The session may have used up its grace period in the background. Then the session ends now.
    expire(at: now, into: &effects)
  }

  mutating func resume(_ id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[id]?.app else { return }
    sessions[id]?.isAway = false
    sessions[id]?.settleGrace(at: now)
    showRealStatus(to: app, at: now, into: &effects)
  }

  mutating func end(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[session]?.app else { return }
    endRequest(of: app, in: session, .sessionEnded, at: now, into: &effects)
    endUpdatesAndStarts(of: session, at: now, into: &effects)
    withdrawPrompts(askedIn: session, at: now, into: &effects)
    sessions[session] = nil
    if !sessions.hasValues(of: app) {
      deferredCrossings.removeAll { $0.app == app }
      withdrawUnneededAlways(of: app, at: now, into: &effects)
    }
  }

  private mutating func endUpdatesAndStarts(
    of session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    endUpdates(of: session, .sessionEnded, into: &effects)
    for deferred in deferredStarts where deferred.session == session {
      end(deferred, .sessionEnded, at: now, into: &effects)
    }
  }

  /// Ends the period in which the user uses the app of a session. The grace period in the background has ended, or the
  /// user has not acted for the app for 15 min.
  mutating func endUse(of id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[id]?.app else { return }
    sessions[id]?.endUse(at: now)
    if configuration.displays.contains(app) { return }
    endInUseActivity(id, of: app, at: now, into: &effects)
  }

  /// Ends the permissions that belong only to this session, from the answers *allow once* and *precise once*
  /// (authorization reference, rows B6 and D3).
  mutating func endRightsForOneUse(of id: SessionID, into effects: inout [Effect]) {
    guard let session = sessions[id], session.allowedOnce != nil || session.isPreciseOnce else { return }
    sessions[id]?.allowedOnce = nil
    sessions[id]?.isPreciseOnce = false
    announce(session.app, into: &effects)
  }

  /// Ends the updates, grants (permissions for one fix) and answers *allow once* and *precise once* of a session that
  /// the user no longer uses (authorization reference, rows B6, C3, C4 and D3).
  private mutating func endInUseActivity(
    _ id: SessionID, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let wasPrecise = sessions[id]?.isPreciseOnce ?? false
    endRightsForOneUse(of: id, into: &effects)
    if let running = updates[id] {
      switch running.right {
      // Updates without `background` end with the use (row C4).
      case .whenInUse where !running.goesOnInBackground: endForLackOfUse(running, at: now, into: &effects)
      case .allowedOnce, .once: endUpdates(of: id, .notInUse, into: &effects)
      case .whenInUse, .always: if wasPrecise { endUpdates(of: id, .changed, into: &effects) }
      }
    }
    for grant in grants.values(of: app) where grant.session == id && grant.press == nil {
      switch grant.right {
      case .whenInUse:
        if record(of: app).seesAlways {
          remove(grant, at: now)
          effects.append(.withhold(grant.request))
          deferStart(
            DeferredStart(request: grant.request, session: id, app: app, kind: .once, deadline: grant.expires), at: now,
            into: &effects)
        } else {
          end(grant, .notInUse, at: now, into: &effects)
        }
      case .allowedOnce, .once: end(grant, .notInUse, at: now, into: &effects)
      case .always: break
      }
    }
  }

  /// Ends updates because the app is not in use. An app with only "while using" that is told "always" receives the end
  /// later, as if the receiver had found no fix. The delay hides the real status (authorization reference, row B5).
  mutating func endForLackOfUse(_ running: Updates, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard record(of: running.app).seesAlways else {
      return endUpdates(of: running.session, .notInUse, into: &effects)
    }
    removeUpdates(of: running.session)
    effects.append(.withhold(running.request))
    deferStart(
      DeferredStart(
        request: running.request, session: running.session, app: running.app,
        kind: running.goesOnInBackground ? .updatesInBackground : .updates, deadline: now + Bounds.grantLife),
      at: now, into: &effects)
  }

  // MARK: Legibility

  private var isStandingUse: Bool { !updates.isEmpty || grants.values.contains { $0.press == nil } }

  /// The instant of the next check whether the indicator (the LED) is visible; nil if no check is necessary. Checks are
  /// necessary while an app gets fixes without a press of the button, and while the indicator is not visible.
  var legibilityDue: MonotonicInstant? {
    guard isStandingUse || illegible != nil else { return nil }
    return legibilityChecked.map { $0 + Bounds.legibilityPeriod } ?? MonotonicInstant(nanoseconds: .min)
  }

  mutating func requestLegibilityCheck(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let due = legibilityDue, due <= now else { return }
    legibilityChecked = now
    effects.append(.checkLegibility)
  }

  /// Records whether the indicator (the LED) is visible. If the indicator is not visible, all updates and all grants
  /// (permissions for one fix) without a press of the button end (authorization reference, row C6).
  ///
  /// - Parameter illegible: The reason why the indicator is not visible; nil if the indicator is visible.
  mutating func applyLegibility(_ illegible: String?, at now: MonotonicInstant, into effects: inout [Effect]) {
    self.illegible = illegible
    legibilityChecked = now
    guard let illegible else { return }
    for session in updates.keys.sorted() { endUpdates(of: session, .illegible(illegible), into: &effects) }
    for grant in sortedGrants where grant.press == nil {
      end(grant, .illegible(illegible), at: now, into: &effects)
    }
  }
}
