import Clocks

/// A start or request that waits for the user's answer about "always". To the app it appears to be acquiring. (B5)
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
  /// The instant at which the start ends as if there had been no fix.
  let deadline: MonotonicInstant
}

/// A crossing of a region's border that waits for the user's answer about "always". (B5)
struct DeferredCrossing: Hashable, Sendable {
  let app: AppID
  let event: RegionEvent
}

extension Authorization {
  /// Defers a start and opens a prompt about "always", unless the user refused it before or may not be asked now.
  mutating func deferStart(_ start: DeferredStart, at now: MonotonicInstant, into effects: inout [Effect]) {
    deferredStarts.append(start)
    _ = promptForAlways(start.app, at: now)
  }

  /// Opens the prompt about "always" that deferred starts and crossings of an app need, after its other prompt closed.
  mutating func promptForDeferredEvents(of app: AppID, at now: MonotonicInstant) {
    if deferredStarts.contains(where: { $0.app == app }) || deferredCrossings.contains(where: { $0.app == app }) {
      _ = promptForAlways(app, at: now)
    }
  }

  /// Opens a prompt about "always" if the user may be asked.
  ///
  /// - Returns: Whether the user is asked now or later.
  private mutating func promptForAlways(_ app: AppID, at now: MonotonicInstant) -> Bool {
    let record = record(of: app)
    guard record.isProvisional, !isPaused(app, at: now) else { return false }
    if let prompt = prompts.first(where: { $0.app == app && $0.press == nil }) { return prompt.kind == .always }
    open(.always, for: app, .heldEvent, at: now, until: now + Bounds.askLife)
    return true
  }

  /// Handles a crossing of a region's border. If only the owners are notified, the app need not be connected: the text
  /// of the registration is for this case. If the app itself is notified, it must be connected.
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
      // Not while the indicator cannot be seen (C6).
      if isHere && illegible == nil { effects.append(.tellRegion(app, event)) }
    case .whenInUse where record.isProvisional && record.accuracy == .full && isHere:
      // The owners are notified if the user may not be asked now.
      guard promptForAlways(app, at: now) else { return effects.append(.notifyOwners(app, event)) }
      // Only the latest crossing of each region is true.
      deferredCrossings.removeAll { $0.app == app && $0.event.region == event.region }
      deferredCrossings.append(DeferredCrossing(app: app, event: event))
    case .always, .whenInUse: effects.append(.notifyOwners(app, event))
    }
  }

  /// Ends a deferred start. Withdraws the prompt about "always" if no other event waits for it.
  mutating func end(_ deferred: DeferredStart, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect])
  {
    deferredStarts.removeAll { $0 == deferred }
    effects.append(.end(deferred.request, ending))
    withdrawUnneededAlways(of: deferred.app, at: now, into: &effects)
  }

  /// Withdraws an app's prompt about "always" if no start and no crossing waits for it.
  mutating func withdrawUnneededAlways(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if deferredStarts.contains(where: { $0.app == app }) || deferredCrossings.contains(where: { $0.app == app }) {
      return
    }
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      withdraw(prompt, at: now, into: &effects)
    }
  }

  /// Delivers deferred starts and crossings after the user agreed. The answer counts as an act of the user.
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
    for deferred in regions { effects.append(.tellRegion(deferred.app, deferred.event)) }
  }
}
