import Base
import LineProtocol

extension Authorization {
  mutating func handleRequest(
    _ request: RequestID, from session: SessionID, timeout: Duration, requiresPress: Bool, kind: RequestKind,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // No requests while locked (D4)
    // While an app is denied, it has no implicit request (row B4).
    if kind.isImplicit, let denial = denial(of: app) { return effects.append(.refuse(request, denial)) }
    takeOver(app, for: session, isImplicit: kind.isImplicit, at: now, into: &effects)
    if hasRequest(app, in: session, isImplicit: kind.isImplicit) {
      return effects.append(.refuse(request, .alreadyArmed))
    }
    if !requiresPress, standingRight(of: session) != nil || needsAlways(session) {
      // No grant while the indicator is not visible (row C6).
      if let illegible { return effects.append(.refuse(request, .illegible(illegible))) }
      let deadline = now + min(max(timeout, .zero), Bounds.grantLife)
      effects.append(.acquire(request))
      if let right = standingRight(of: session) {  // Served at once (C1, C5)
        serve(request, of: session, by: right, until: deadline, at: now, into: &effects)
      } else {  // Deferred until the user answers (B5)
        deferStart(
          DeferredStart(request: request, session: session, app: app, kind: .once, deadline: deadline), at: now,
          into: &effects)
      }
      return
    }
    // An implicit request is accepted even during a pause of the app's prompts. A press serves it only after the pause.
    if !kind.isImplicit, needsPrompt(app), let pause = record(of: app).promptPause, now < pause.until {
      return effects.append(.refuse(request, .tooSoon(retryAfter: pause.until - now)))
    }
    var record = record(of: app)
    record.lastServed = record.lastServed ?? 0
    save(record, at: now, into: &effects)
    let timeout = min(max(timeout, .zero), kind.isImplicit ? Bounds.longestImplicitArm : Bounds.longestArm)
    arms[request] = Arm(
      request: request, session: session, app: app, kind: kind, accepted: now, deadline: now + timeout)
    effects.append(.accept(request))
  }

  /// Cancels the explicit requests (`REQ once`) of an app in disconnected sessions, because the app makes such a
  /// request in another session. Otherwise the new request would have to wait for the end of the old sessions. Requests
  /// with an open prompt stay.
  private mutating func takeOver(
    _ app: AppID, for session: SessionID, isImplicit: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if isImplicit { return }
    for arm in arms.values(of: app) where !arm.isImplicit && arm.session != session {
      guard sessions[arm.session]?.isAway == true, !prompts.contains(where: { $0.arm == arm.request }) else { continue }
      disarm(arm, .takenOver, at: now, into: &effects)
    }
  }

  /// Whether an earlier request of the app forbids a new request in a session. Each app may have one explicit request
  /// (`REQ once`). Each session without an explicit request may have one implicit request, for example of a gpsd
  /// client.
  private func hasRequest(_ app: AppID, in session: SessionID, isImplicit: Bool) -> Bool {
    func conflicts(_ other: SessionID, _ isOtherImplicit: Bool = false) -> Bool {
      other == session || !isImplicit && !isOtherImplicit
    }
    return arms.values(of: app).contains { conflicts($0.session, $0.isImplicit) }
      || grants.values(of: app).contains { conflicts($0.session) }
      || deferredStarts.contains { $0.app == app && $0.kind == .once && conflicts($0.session) }
  }

  /// Creates a grant (the permission for one fix) without a press of the button.
  mutating func serve(
    _ request: RequestID, of session: SessionID, by right: Right, until deadline: MonotonicInstant,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return }
    let grant = Grant(
      request: request, session: session, app: app, right: right, press: nil,
      notBefore: earliestEpoch(of: session, right: right, at: now), expires: deadline)
    grants[request] = grant
    effects.append(.serve(grant))
  }

  /// Cancels the requests of a session for one fix, and closes the prompts (questions to the user) that the session
  /// caused.
  mutating func cancel(_ session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let app = sessions[session]?.app else { return }
    endRequest(of: app, in: session, .cancelled, at: now, into: &effects)
    withdrawPrompts(askedIn: session, at: now, into: &effects)
  }

  mutating func endRequest(
    of app: AppID, in session: SessionID, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    disarm(app, ending, at: now, into: &effects) { $0.session == session }
    for grant in grants.values(of: app) where grant.session == session { end(grant, ending, at: now, into: &effects) }
    for deferred in deferredStarts where deferred.session == session && deferred.kind == .once {
      end(deferred, ending, at: now, into: &effects)
    }
  }

  /// Ends the requests of an app that wait for a press of the button, and closes the prompts about these requests.
  mutating func disarm(
    _ app: AppID, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect],
    where isIncluded: (Arm) -> Bool = { _ in true }
  ) {
    for arm in arms.values(of: app) where isIncluded(arm) { disarm(arm, ending, at: now, into: &effects) }
  }

  mutating func disarm(_ arm: Arm, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    arms[arm.request] = nil
    for prompt in prompts where prompt.arm == arm.request {
      switch ending {
      case .cancelled, .sessionEnded, .noPress: withdraw(prompt, at: now, into: &effects)
      case .denied, .locked, .expired, .notInUse, .illegible, .changed, .takenOver:
        close(prompt, .withdrawn, at: now, into: &effects)
      }
    }
    effects.append(.end(arm.request, ending))
  }

  package var sortedArms: [Arm] { arms.values.sorted { $0.request < $1.request } }

  package var sortedGrants: [Grant] { grants.values.sorted { $0.request < $1.request } }

  /// Removes a grant (the permission for one fix). After a grant by a press of the button, a further press gives no fix
  /// for 2 s. For a client that fetches the fix with `?POLL`, this pause ends when the grant would expire
  /// (authorization reference, row A8).
  mutating func remove(_ grant: Grant, at now: MonotonicInstant) {
    grants[grant.request] = nil
    guard grant.press != nil else { return }
    let ended = grant.isPolled ? grant.expires - Bounds.rest : now
    pressFixEnded = max(pressFixEnded ?? ended, ended)
  }

  mutating func end(_ grant: Grant, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    remove(grant, at: now)
    effects.append(.end(grant.request, ending))
  }

  mutating func recordServed(_ request: RequestID, at now: MonotonicInstant) {
    if let grant = grants[request] { remove(grant, at: now) }
    if let session = updatedSessions[request] { updates[session]?.firstFixDue = nil }
  }

  mutating func recordFailed(_ request: RequestID, at now: MonotonicInstant) {
    if let grant = grants[request] { remove(grant, at: now) }
    if let session = updatedSessions[request] { removeUpdates(of: session) }
  }
}
