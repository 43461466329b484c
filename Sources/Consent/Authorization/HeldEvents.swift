import Clocks

/// A start, or a request, that needs "always" (B5). To the app it looks as if it were acquiring.
struct HeldStart: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case once
    case updates
    case updatesInBackground
  }

  let request: RequestID
  let session: SessionID
  let app: AppID
  let kind: Kind
  /// When it ends as if no fix had come.
  let deadline: MonotonicInstant
}

/// A region's event that needs "always" (B5).
struct HeldRegion: Hashable, Sendable {
  let app: AppID
  let event: RegionEvent
}

extension Authorization {
  /// Holds a start and asks the person, unless they said no already, or may not be asked now.
  mutating func hold(_ start: HeldStart, at now: MonotonicInstant, into effects: inout [Effect]) {
    heldStarts.append(start)
    _ = askForAlways(start.app, at: now)
  }

  /// Another question of the app is closed: what was held meanwhile is asked for now.
  mutating func askForHeldStarts(of app: AppID, at now: MonotonicInstant) {
    if heldStarts.contains(where: { $0.app == app }) || heldRegions.contains(where: { $0.app == app }) {
      _ = askForAlways(app, at: now)
    }
  }

  /// Whether the person is asked, or will be.
  private mutating func askForAlways(_ app: AppID, at now: MonotonicInstant) -> Bool {
    let record = record(of: app)
    guard record.isProvisional, !isPaused(app, at: now) else { return false }
    if let prompt = prompts.first(where: { $0.app == app && $0.press == nil }) { return prompt.kind == .always }
    open(.always, for: app, .heldEvent, at: now, until: now + Bounds.askLife)
    return true
  }

  /// The owners are shown an event whether or not the app is here: that is what it registered its text for. An app that
  /// hears of it itself has to be here.
  mutating func cross(_ event: RegionEvent, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard !isLocked else { return }
    let record = record(of: app)
    let isHere = sessions.values.contains { $0.app == app }
    switch status(of: app) {
    case .denied, .restricted: break
    case .notDetermined:  // B6
      let isAllowedOnce = sessions.values.contains { $0.app == app && $0.allowedOnce != nil }
      if isAllowedOnce { effects.append(.notifyOwners(app, event)) }
    case .always where record.accuracy == .full:
      if isHere && illegible == nil { effects.append(.tellRegion(app, event)) }  // C6
    case .whenInUse where record.isProvisional && record.accuracy == .full && isHere:
      // While the person may not be asked, the owners are shown it.
      guard askForAlways(app, at: now) else { return effects.append(.notifyOwners(app, event)) }
      // The latest of each region; an older one is no longer true.
      heldRegions.removeAll { $0.app == app && $0.event.region == event.region }
      heldRegions.append(HeldRegion(app: app, event: event))
    case .always, .whenInUse: effects.append(.notifyOwners(app, event))
    }
  }

  /// Ends a held start, and the question for its sake where nothing else waits for it.
  mutating func drop(_ held: HeldStart, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    heldStarts.removeAll { $0 == held }
    effects.append(.end(held.request, ending))
    withdrawIdleAlways(of: held.app, at: now, into: &effects)
  }

  mutating func withdrawIdleAlways(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if heldStarts.contains(where: { $0.app == app }) || heldRegions.contains(where: { $0.app == app }) { return }
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      withdraw(prompt, at: now, into: &effects)
    }
  }

  /// The person said yes: what was held happens, and counts as theirs.
  mutating func deliver(
    _ starts: [HeldStart], _ regions: [HeldRegion], actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    for held in starts where sessions[held.session] != nil {
      self.act(in: held.session, at: act)
      guard let right = standingRight(of: held.session) else { continue }
      switch held.kind {
      case .once: serve(held.request, of: held.session, by: right, until: held.deadline, at: now, into: &effects)
      case .updates, .updatesInBackground:
        begin(held.request, in: held.session, held.kind, by: right, at: now, into: &effects)
      }
    }
    guard illegible == nil else { return }  // C6
    for held in regions { effects.append(.tellRegion(held.app, held.event)) }
  }
}
