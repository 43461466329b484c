import Clocks
import LineProtocol

/// A request for a fix, or a request to start updates, that the gateway holds until the user answers the prompt that
/// asks for the authorization "always". The app sees the state `acquiring`, as if the app waited for a fix. (B5)
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
  /// The instant at which the held request ends. The app then gets the same error as if the receiver had found no fix.
  let deadline: MonotonicInstant
}

/// A region event (the device entered or left a region) that the gateway holds until the user answers the prompt that
/// asks for the authorization "always". (B5)
struct DeferredCrossing: Hashable, Sendable {
  let app: AppID
  let event: RegionEvent
}

extension Authorization {
  /// Holds a request for a fix, or a request to start updates, until the user answers the prompt that asks for the
  /// authorization "always". The function opens this prompt if the user has not refused "always" and if the app's
  /// prompts are not paused.
  mutating func deferStart(_ start: DeferredStart, at now: MonotonicInstant, into effects: inout [Effect]) {
    deferredStarts.append(start)
    _ = promptForAlways(start.app, at: now)
  }

  /// Opens a prompt that asks for the authorization "always" if requests or region events of an app wait for this
  /// authorization. The caller must close the app's previous prompt first.
  mutating func promptForDeferredEvents(of app: AppID, at now: MonotonicInstant) {
    if deferredStarts.contains(where: { $0.app == app }) || deferredCrossings.contains(where: { $0.app == app }) {
      _ = promptForAlways(app, at: now)
    }
  }

  /// Opens a prompt that asks for the authorization "always" if the app's status is a provisional "always" and its
  /// prompts are not paused.
  ///
  /// - Returns: Whether a prompt that asks for the authorization "always" is open.
  private mutating func promptForAlways(_ app: AppID, at now: MonotonicInstant) -> Bool {
    let record = record(of: app)
    guard record.isProvisional, !isPaused(app, at: now) else { return false }
    if let prompt = prompts.first(where: { $0.app == app && $0.press == nil }) { return prompt.kind == .always }
    open(.always, for: app, .heldEvent, at: now, until: now + Bounds.askLife)
    return true
  }

  /// Handles the event that the device crossed the border of a region. An app receives the event only while the app is
  /// connected. The gateway may notify the owners even if the app is not connected. The notification contains the text
  /// that the app registered with the region.
  mutating func handleCrossing(
    _ event: RegionEvent, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard !isLocked else { return }
    let record = record(of: app)
    let isHere = sessions.values.contains { $0.app == app }
    switch status(of: app) {
    case .denied, .restricted: break
    case .notDetermined:  // Allowed once (B6)
      let isAllowedOnce = sessions.values.contains { $0.app == app && $0.allowedOnce != nil }
      if isAllowedOnce { effects.append(.notifyOwners(app, event)) }
    case .always where record.accuracy == .full:
      // While a user cannot see the indicator, the app receives no message about its regions (C6).
      if isHere && illegible == nil { effects.append(.notifyRegion(app, event)) }
    case .whenInUse where record.isProvisional && record.accuracy == .full && isHere:
      // If the gateway cannot ask the user now, it notifies the owners.
      guard promptForAlways(app, at: now) else { return effects.append(.notifyOwners(app, event)) }
      // If the device crosses the border of the same region again, the earlier crossing is obsolete.
      deferredCrossings.removeAll { $0.app == app && $0.event.region == event.region }
      deferredCrossings.append(DeferredCrossing(app: app, event: event))
    case .always, .whenInUse: effects.append(.notifyOwners(app, event))
    }
  }

  /// Ends a request that the gateway holds. If the gateway then holds no other request or region event of the app, the
  /// function withdraws the prompt that asks for the authorization "always".
  mutating func end(_ deferred: DeferredStart, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect])
  {
    deferredStarts.removeAll { $0 == deferred }
    effects.append(.end(deferred.request, ending))
    withdrawUnneededAlways(of: deferred.app, at: now, into: &effects)
  }

  /// Withdraws the prompt that asks for an app's authorization "always" if no request and no region event of the app
  /// waits for this authorization.
  mutating func withdrawUnneededAlways(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if deferredStarts.contains(where: { $0.app == app }) || deferredCrossings.contains(where: { $0.app == app }) {
      return
    }
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      withdraw(prompt, at: now, into: &effects)
    }
  }

  /// Starts the requests, and delivers the region events, that waited until the user allowed the authorization
  /// "always". By this answer the user did something for the app, so the app counts as in use from then on.
  mutating func deliverDeferred(
    _ starts: [DeferredStart], _ regions: [DeferredCrossing], actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    for deferred in starts where sessions[deferred.session] != nil {
      recordUserAct(in: deferred.session, at: act)
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
