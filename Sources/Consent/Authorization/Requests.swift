import Clocks

// REQ once, CANCEL, and the ends of what they began.
extension Authorization {
  mutating func take(
    _ request: RequestID, from session: SessionID, timeout: Duration, requiresPress: Bool, isImplicit: Bool,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // D4
    takeOver(app, for: session, isImplicit: isImplicit, at: now, into: &effects)
    if hasRequest(app, in: session, isImplicit: isImplicit) { return effects.append(.refuse(request, .alreadyArmed)) }
    if !requiresPress, standingRight(of: session) != nil || needsAlways(session) {
      if let illegible { return effects.append(.refuse(request, .illegible(illegible))) }  // C6
      let deadline = now + min(max(timeout, .zero), Bounds.grantLife)
      effects.append(.acquire(request))
      if let right = standingRight(of: session) {  // C1, C5
        serve(request, of: session, by: right, until: deadline, at: now, into: &effects)
      } else {  // B5
        hold(
          HeldStart(request: request, session: session, app: app, kind: .once, deadline: deadline), at: now,
          into: &effects)
      }
      return
    }
    // An implicit arm outlasts the pause, and is no candidate for a press until the pause ends.
    if !isImplicit, needsPrompt(app), let pause = record(of: app).promptPause, now < pause.until {
      return effects.append(.refuse(request, .tooSoon(retryAfter: pause.until - now)))
    }
    var record = record(of: app)
    record.lastServed = record.lastServed ?? 0
    save(record, at: now, into: &effects)
    let timeout = min(max(timeout, .zero), isImplicit ? Bounds.longestImplicitArm : Bounds.longestArm)
    arms[request] = Arm(
      request: request, session: session, app: app, isImplicit: isImplicit, accepted: now, deadline: now + timeout)
    effects.append(.accept(request))
  }

  /// An app that asks in a new session does not wait until a session that lost its connection has had its grace. While
  /// a person is asked, the request stays as it is.
  private mutating func takeOver(
    _ app: AppID, for session: SessionID, isImplicit: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if isImplicit { return }
    for arm in sortedArms where arm.app == app && !arm.isImplicit && arm.session != session {
      guard sessions[arm.session]?.isAway == true, !prompts.contains(where: { $0.arm == arm.request }) else { continue }
      disarm(arm, .takenOver, at: now, into: &effects)
    }
  }

  /// Whether a request has to wait for another one to end: an app has one explicit request, and beside it one implicit
  /// request in each session that has no other.
  private func hasRequest(_ app: AppID, in session: SessionID, isImplicit: Bool) -> Bool {
    func isInTheWay(_ other: SessionID, _ isOtherImplicit: Bool = false) -> Bool {
      other == session || !isImplicit && !isOtherImplicit
    }
    return arms.values.contains { $0.app == app && isInTheWay($0.session, $0.isImplicit) }
      || grants.values.contains { $0.app == app && isInTheWay($0.session) }
      || heldStarts.contains { $0.app == app && $0.kind == .once && isInTheWay($0.session) }
  }

  /// A grant that needs no press.
  mutating func serve(
    _ request: RequestID, of session: SessionID, by right: Right, until deadline: MonotonicInstant,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return }
    let grant = Grant(
      request: request, session: session, app: app, right: right, press: nil,
      notBefore: standingSince(of: session, right: right, at: now), expires: deadline)
    grants[request] = grant
    effects.append(.serve(grant))
  }

  /// `CANCEL`: what the session waits for, and what it asked.
  mutating func cancel(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[session]?.app else { return }
    endRequest(of: app, in: session, .cancelled, at: now, into: &effects)
    withdrawPrompts(askedIn: session, at: now, into: &effects)
  }

  /// Ends what a session has armed, requested or been granted; its updates go on.
  mutating func endRequest(
    of app: AppID, in session: SessionID, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    disarm(app, ending, at: now, into: &effects) { $0.session == session }
    for grant in sortedGrants where grant.session == session { end(grant, ending, at: now, into: &effects) }
    for held in heldStarts where held.session == session && held.kind == .once {
      drop(held, ending, at: now, into: &effects)
    }
  }

  /// Takes the arms of an app back, and with them the prompt that asks for one.
  mutating func disarm(
    _ app: AppID, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect],
    where isMeant: (Arm) -> Bool = { _ in true }
  ) {
    for arm in sortedArms where arm.app == app && isMeant(arm) { disarm(arm, ending, at: now, into: &effects) }
  }

  mutating func disarm(_ arm: Arm, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    arms[arm.request] = nil
    for prompt in prompts where prompt.arm == arm.request {
      switch ending {
      case .cancelled, .sessionEnded, .noPress: withdraw(prompt, at: now, into: &effects)
      case .denied, .locked, .expired, .notInUse, .illegible, .changed, .takenOver:
        close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
      }
    }
    effects.append(.end(arm.request, ending))
  }

  /// In the order in which they were asked for.
  package var sortedArms: [Arm] { arms.values.sorted { $0.request < $1.request } }

  /// In the order in which they were asked for.
  package var sortedGrants: [Grant] { grants.values.sorted { $0.request < $1.request } }

  mutating func remove(_ grant: Grant, at now: MonotonicInstant) {
    grants[grant.request] = nil
    if grant.press != nil { pressFixEnded = max(pressFixEnded ?? now, now) }
  }

  mutating func end(_ grant: Grant, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    remove(grant, at: now)
    effects.append(.end(grant.request, ending))
  }

  mutating func served(_ request: RequestID, at now: MonotonicInstant) {
    if let grant = grants[request] { remove(grant, at: now) }
    if let session = session(updatedBy: request) { updates[session]?.firstFixDue = nil }
  }

  mutating func failed(_ request: RequestID, at now: MonotonicInstant) {
    if let grant = grants[request] { remove(grant, at: now) }
    if let session = session(updatedBy: request) { updates[session] = nil }
  }

  private func session(updatedBy request: RequestID) -> SessionID? {
    updates.values.first { $0.request == request }?.session
  }
}
