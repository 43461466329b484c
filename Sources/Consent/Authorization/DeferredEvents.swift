import Base
import LineProtocol

/// A request for a fix or for updates that waits for the user's decision about the authorization "always". The app is
/// told `acquiring`, as during the search for a fix, so that the app does not notice the decision (authorization
/// reference, row B5).
struct DeferredStart: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case once
    case updates
    case updatesInBackground
  }

  let request: RequestID
  let session: SessionID
  let app: AppID
  let kind: Kind
  /// The instant at which the request ends without a decision. The app then receives the error that the receiver found
  /// no fix.
  let deadline: MonotonicInstant
}

/// An event at the border of a region (an entry or an exit) that waits for the user's decision about the authorization
/// "always" (authorization reference, row B5).
struct DeferredCrossing: Hashable, Sendable {
  let app: AppID
  let event: RegionEvent
}

extension Authorization {
  /// Lets a request wait for the user's decision about the authorization "always". Opens a prompt for this decision,
  /// unless prompts about the app are paused.
  mutating func deferStart(_ start: DeferredStart, at now: MonotonicInstant, into effects: inout [Effect]) {
    deferredStarts.append(start)
    touched.insert(start.app)
    _ = promptForAlways(start.app, at: now)
  }

  /// Asks the user about the authorization "always" if requests or region events (entries and exits) of an app wait for
  /// the answer. No other prompt about the app may be open.
  mutating func promptForDeferredEvents(of app: AppID, at now: MonotonicInstant) {
    if areEventsDeferred(of: app) { _ = promptForAlways(app, at: now) }
  }

  private func areEventsDeferred(of app: AppID) -> Bool {
    deferredStarts.contains { $0.app == app } || deferredCrossings.contains { $0.app == app }
  }

  /// Opens a prompt about the authorization "always" if the app is told this authorization without the user's
  /// permission, and prompts about the app are not paused. Returns whether a prompt about "always" is open.
  private mutating func promptForAlways(_ app: AppID, at now: MonotonicInstant) -> Bool {
    let record = record(of: app)
    guard record.isProvisional, !isPaused(app, at: now) else { return false }
    if let prompt = prompts.first(where: { $0.app == app && $0.press == nil }) { return prompt.kind == .always }
    open(.always, for: app, .heldEvent, at: now, until: now + Bounds.askLife)
    return true
  }

  /// Handles the event that the device entered or left a region. A connected app with the authorization "always" and
  /// full accuracy receives the event. For other apps, the event waits for the user's decision, or only the owners of
  /// the gateway receive the event.
  mutating func handleCrossing(
    _ event: RegionEvent, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard !isLocked else { return }
    let record = record(of: app)
    let isHere = sessions.hasValues(of: app)
    switch status(of: app) {
    case .denied, .restricted: break
    case .notDetermined:  // Allowed once (B6)
      let isAllowedOnce = sessions.values(of: app).contains { $0.allowedOnce != nil }
      if isAllowedOnce { effects.append(.notifyOwners(app, event)) }
    case .always where record.accuracy == .full:
      // While the indicator is not visible, the app receives no region events (row C6).
      if isHere && illegible == nil { effects.append(.notifyRegion(app, event)) }
    case .whenInUse where record.isProvisional && record.accuracy == .full && isHere:
      guard promptForAlways(app, at: now) else { return effects.append(.notifyOwners(app, event)) }
      // A new crossing of the same border makes the earlier crossing obsolete.
      deferredCrossings.removeAll { $0.app == app && $0.event.region == event.region }
      deferredCrossings.append(DeferredCrossing(app: app, event: event))
    case .always, .whenInUse: effects.append(.notifyOwners(app, event))
    }
  }

  /// Ends a request that waits for the user's decision about "always". Closes the prompt about this decision if no
  /// other request or region event of the app waits.
  mutating func end(_ deferred: DeferredStart, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect])
  {
    deferredStarts.removeAll { $0 == deferred }
    touched.insert(deferred.app)
    effects.append(.end(deferred.request, ending))
    withdrawUnneededAlways(of: deferred.app, at: now, into: &effects)
  }

  /// Closes the prompt about the authorization "always" if no request and no region event of the app waits for the
  /// answer.
  mutating func withdrawUnneededAlways(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if areEventsDeferred(of: app) { return }
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      withdraw(prompt, at: now, into: &effects)
    }
  }

  /// Starts the requests and delivers the region events that waited for the authorization "always". The user's answer
  /// counts as an action for the app, so that the app is in use.
  mutating func deliverDeferred(
    _ starts: [DeferredStart], _ regions: [DeferredCrossing], at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    for deferred in starts where sessions[deferred.session] != nil {
      // A press alone never answers "always", so the user acted now.
      recordUserAct(in: deferred.session, at: now)
      guard let right = standingRight(of: deferred.session) else { continue }
      switch deferred.kind {
      case .once:
        serve(deferred.request, of: deferred.session, by: right, until: deferred.deadline, at: now, into: &effects)
      case .updates, .updatesInBackground:
        begin(deferred.request, in: deferred.session, deferred.kind, by: right, at: now, into: &effects)
      }
    }
    guard illegible == nil else { return }  // Not while the indicator cannot be seen (C6)
    for deferred in regions { effects.append(.notifyRegion(deferred.app, deferred.event)) }
  }
}
