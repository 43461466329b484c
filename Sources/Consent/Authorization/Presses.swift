package import Clocks

/// What a press means for an app that is armed. (A1–A5)
enum PressMeaning: Hashable, Sendable {
  case grant(Right)
  case ask(Prompt.Kind)
  case refuse
}

extension Authorization {
  func meaning(for app: AppID) -> PressMeaning {
    switch status(of: app) {
    case .notDetermined: record(of: app).isButtonConfirmed ? .grant(.once) : .ask(.confirm)
    case .whenInUse: .grant(.whenInUse)
    case .always: .grant(.always)
    case .denied: .ask(.introduce)
    case .restricted: .refuse
    }
  }

  func needsPrompt(_ app: AppID) -> Bool {
    switch meaning(for: app) {
    case .ask: true
    case .grant, .refuse: false
    }
  }

  /// Whether a press of this button may concern an app.
  func serves(_ button: String, _ app: AppID) -> Bool {
    configuration.boundApps[button]?.contains(app) ?? true
  }

  /// Whether an app waits that a press beginning now would serve without a prompt: getting ready may start.
  package func expectsPress(of button: String, down: MonotonicInstant) -> Bool {
    guard !isLocked, prompt == nil, !isGuarded(down), !isResting(from: down) else { return false }
    return chosen(from: candidates(for: button, down: down), at: down).contains { !needsPrompt($0.app) }
  }

  mutating func take(
    _ press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if isLocked { return effects.append(.tellPress(nil, .locked)) }  // D4
    if press.up + Bounds.grantLife <= now { return }  // Heard so late that its grant would have expired.
    if let atButton {
      return answer(atButton, by: press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    }
    if isGuarded(press.down) { return }
    if isResting(from: press.down) { return effects.append(.blip(.acquiring)) }  // A8

    let waiting = arms.values.filter { serves(press.button, $0.app) }
    let candidates = candidates(for: press.button, down: press.down)
    for arm in candidates where meaning(for: arm.app) == .refuse {
      effects.append(.tellPress(arm.session, .restricted))  // A5; it never consumes the press
    }
    let chosen = chosen(from: candidates, at: now)
    if chosen.isEmpty { return tellNobodyServed(waiting, candidates: candidates, into: &effects) }
    for arm in chosen {
      if let illegible {
        effects.append(.tellPress(arm.session, .illegible(illegible)))  // A7
      } else if case .ask(let kind) = meaning(for: arm.app) {
        open(kind, for: arm, press, at: now)
      } else {
        grant(arm, to: record(of: arm.app), press, at: now, into: &effects)
      }
    }
  }

  /// The arms that a press of a button may serve, in the order of their claims.
  private func candidates(for button: String, down: MonotonicInstant) -> [Arm] {
    arms.values.filter { serves(button, $0.app) && $0.accepted + Bounds.armBeforePress <= down }
      .sorted(by: isServedBefore)
  }

  /// The arms that a press serves, or the one for which it opens a prompt. Implicit arms come after every explicit one;
  /// among the explicit, as among the implicit, those come first that need no prompt.
  func chosen(from candidates: [Arm], at now: MonotonicInstant) -> [Arm] {
    let free = candidates.filter { if case .grant = meaning(for: $0.app) { true } else { false } }
    let asking = candidates.filter { needsPrompt($0.app) && !isPaused($0.app, at: now) }
    let inOrder = [false, true].flatMap { isImplicit in (free + asking).filter { $0.isImplicit == isImplicit } }
    guard let first = inOrder.first else { return [] }
    guard configuration.pressServesAll, !needsPrompt(first.app) else { return [first] }
    // One fix for each app, to the request with the better claim.
    var apps: Set<AppID> = []
    return inOrder.filter { !needsPrompt($0.app) && apps.insert($0.app).inserted }
  }

  /// A2, A3: the arm becomes a grant, after the app's place in the order of service was kept with the rest of its record.
  mutating func grant(
    _ arm: Arm, to record: AppRecord, _ press: Press, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    var record = record
    let last = records.values.compactMap(\.lastServed).max() ?? 0
    // Only somebody else wrote a number after which there is none. Apps that share it are served as they arm.
    record.lastServed = last < .max ? last + 1 : last
    save(record, at: now, into: &effects)
    guard case .grant(let right) = meaning(for: arm.app) else { return }
    arms[arm.request] = nil
    let grant = Grant(
      request: arm.request, session: arm.session, app: arm.app, right: right, press: press,
      notBefore: press.down - Bounds.oldestEpoch, expires: press.up + Bounds.grantLife)
    grants[grant.request] = grant
    act(in: arm.session, at: press.up)
    effects.append(.tellPress(arm.session, .authorized))
    effects.append(.serve(grant))
  }

  /// The app served least recently first, then the one that armed first.
  func isServedBefore(_ left: Arm, _ right: Arm) -> Bool {
    (record(of: left.app).lastServed ?? 0, left.accepted, left.request)
      < (record(of: right.app).lastServed ?? 0, right.accepted, right.request)
  }

  /// Whether a press may have been meant for a prompt: it begins less than 1 s after the button ceased to answer one by
  /// anything but a press.
  private func isGuarded(_ down: MonotonicInstant) -> Bool {
    turnEnded.map { down < $0 + Bounds.promptGuard } ?? false
  }

  /// A8: a fix that a press asked for is in flight, or ended less than 2 s before this press began.
  private func isResting(from down: MonotonicInstant) -> Bool {
    isPressFixInFlight || pressFixEnded.map { down < $0 + Bounds.rest } ?? false
  }

  /// A6, told so that no app learns of another: who armed too late hears that, and everybody hears of a press only
  /// where nothing at all was armed.
  private func tellNobodyServed(_ waiting: [Arm], candidates: [Arm], into effects: inout [Effect]) {
    let late = waiting.filter { arm in !candidates.contains(arm) }.sorted { $0.request < $1.request }
    for arm in late { effects.append(.tellPress(arm.session, .armedTooLate)) }
    if arms.isEmpty { effects.append(.tellPress(nil, .nothingArmed)) }
    if effects.allSatisfy({ if case .tellPress(_, .restricted) = $0 { false } else { true } }) {
      effects.append(.blip(.nothingWaiting))
    }
  }
}
