import Clocks

// In use, and updates: C1 to C6.
extension Authorization {
  // MARK: Updates

  mutating func start(
    _ request: RequestID, in session: SessionID, background: Bool, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // D4
    switch status(of: app) {
    case .denied: return effects.append(.refuse(request, .denied))  // B4
    case .restricted: return effects.append(.refuse(request, .restricted))  // B4
    case .notDetermined, .whenInUse, .always: break
    }
    if updates[session] != nil || heldStarts.contains(where: { $0.session == session && $0.kind != .once }) {
      return effects.append(.refuse(request, .alreadyStarted))
    }
    let right = standingRight(of: session)
    guard right != nil || needsAlways(session) else {
      let isDetermined = visibleStatus(of: app, in: session) != .notDetermined
      return effects.append(.refuse(request, isDetermined ? .notInUse : .notDetermined))  // C2
    }
    if let illegible { return effects.append(.refuse(request, .illegible(illegible))) }  // C6
    effects.append(.acquire(request))
    let kind = background ? HeldStart.Kind.updatesInBackground : .updates
    if let right {
      begin(request, in: session, kind, by: right, at: now, into: &effects)  // C1, C5
    } else {  // B5
      let deadline = now + Bounds.grantLife
      hold(
        HeldStart(request: request, session: session, app: app, kind: kind, deadline: deadline), at: now,
        into: &effects)
    }
  }

  mutating func begin(
    _ request: RequestID, in session: SessionID, _ kind: HeldStart.Kind, by right: Right, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return }
    let started = Updates(
      request: request, session: session, app: app, right: right,
      // "Allow once" has C1 and C4, and not C3.
      goesOnInBackground: kind == .updatesInBackground && right != .allowedOnce, began: now,
      notBefore: standingSince(of: session, right: right, at: now), firstFixDue: now + Bounds.grantLife)
    updates[session] = started
    effects.append(.begin(started))
  }

  mutating func stop(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    endUpdates(of: session, .cancelled, into: &effects)
    for held in heldStarts where held.session == session && held.kind != .once {
      drop(held, .cancelled, at: now, into: &effects)
    }
  }

  mutating func endUpdates(of session: SessionID, _ ending: Ending, into effects: inout [Effect]) {
    guard let ended = updates.removeValue(forKey: session) else { return }
    effects.append(.end(ended.request, ending))
  }

  // MARK: In use

  /// A person has acted for an app in a session. Nothing is in use while locked.
  mutating func act(in session: SessionID, at instant: MonotonicInstant) {
    if !isLocked { sessions[session]?.act(at: instant) }
  }

  mutating func move(
    _ id: SessionID, toBackground isInBackground: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard sessions[id] != nil else { return }
    sessions[id]?.isInBackground = isInBackground
    sessions[id]?.settleGrace(at: now)
    expire(at: now, into: &effects)
  }

  mutating func lose(_ id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard sessions[id] != nil else { return }
    sessions[id]?.isAway = true
    sessions[id]?.settleGrace(at: now)
    expire(at: now, into: &effects)
  }

  mutating func resume(_ id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[id]?.app else { return }
    sessions[id]?.isAway = false
    sessions[id]?.settleGrace(at: now)
    showTruth(to: app, at: now, into: &effects)
    expire(at: now, into: &effects)
  }

  /// The session is over, and with it all that it had.
  mutating func end(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[session]?.app else { return }
    endRequest(of: app, in: session, .sessionEnded, at: now, into: &effects)
    stopAll(session, at: now, into: &effects)
    withdrawPrompts(askedIn: session, at: now, into: &effects)
    sessions[session] = nil
    if !sessions.values.contains(where: { $0.app == app }) {
      heldRegions.removeAll { $0.app == app }
      withdrawIdleAlways(of: app, at: now, into: &effects)
    }
  }

  private mutating func stopAll(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    endUpdates(of: session, .sessionEnded, into: &effects)
    for held in heldStarts where held.session == session { drop(held, .sessionEnded, at: now, into: &effects) }
  }

  /// The use that a person began is over: in the background, or 15 min after the last act.
  mutating func endUse(of id: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[id]?.app else { return }
    sessions[id]?.use = nil
    sessions[id]?.settleGrace(at: now)
    if configuration.displays.contains(app) { return }
    leaveUse(id, of: app, at: now, into: &effects)
  }

  /// B6, C3, C4, D3: what a session had only while it was in use.
  private mutating func leaveUse(
    _ id: SessionID, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let wasPrecise = sessions[id]?.isPreciseOnce ?? false
    if wasPrecise || sessions[id]?.allowedOnce != nil {
      sessions[id]?.isPreciseOnce = false
      sessions[id]?.allowedOnce = nil
      announce(app, into: &effects)
    }
    if let running = updates[id] {
      switch running.right {
      case .whenInUse where !running.goesOnInBackground: leaveUse(running, at: now, into: &effects)  // C4
      case .allowedOnce, .once: endUpdates(of: id, .notInUse, into: &effects)
      case .whenInUse, .always: if wasPrecise { endUpdates(of: id, .changed, into: &effects) }
      }
    }
    for grant in sortedGrants where grant.session == id && grant.press == nil {
      switch grant.right {
      case .whenInUse:
        if record(of: app).seesAlways {
          remove(grant, at: now)
          effects.append(.withhold(grant.request))
          hold(
            HeldStart(request: grant.request, session: id, app: app, kind: .once, deadline: grant.expires), at: now,
            into: &effects)
        } else {
          end(grant, .notInUse, at: now, into: &effects)
        }
      case .allowedOnce, .once: end(grant, .notInUse, at: now, into: &effects)
      case .always: break
      }
    }
  }

  /// Updates may not go on. An app that sees "always" would learn from that what it has: to it they find no fix. (B5)
  mutating func leaveUse(_ running: Updates, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard record(of: running.app).seesAlways else {
      return endUpdates(of: running.session, .notInUse, into: &effects)
    }
    updates[running.session] = nil
    effects.append(.withhold(running.request))
    hold(
      HeldStart(
        request: running.request, session: running.session, app: running.app,
        kind: running.goesOnInBackground ? .updatesInBackground : .updates, deadline: now + Bounds.grantLife),
      at: now, into: &effects)
  }

  // MARK: Legibility

  private var isStandingUse: Bool { !updates.isEmpty || grants.values.contains { $0.press == nil } }

  /// When legibility is to be checked again: during standing use, and for as long as it fails.
  var legibilityDue: MonotonicInstant? {
    guard isStandingUse || illegible != nil else { return nil }
    return legibilityChecked.map { $0 + Bounds.legibilityPeriod } ?? MonotonicInstant(nanoseconds: .min)
  }

  mutating func askForLegibility(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let due = legibilityDue, due <= now else { return }
    legibilityChecked = now
    effects.append(.checkLegibility)
  }

  /// C6: what a person could not see ends.
  mutating func check(_ illegible: String?, at now: MonotonicInstant, into effects: inout [Effect]) {
    self.illegible = illegible
    legibilityChecked = now
    guard let illegible else { return }
    for session in updates.keys.sorted() { endUpdates(of: session, .illegible(illegible), into: &effects) }
    for grant in sortedGrants where grant.press == nil {
      end(grant, .illegible(illegible), at: now, into: &effects)
    }
  }
}
