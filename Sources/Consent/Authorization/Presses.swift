package import Clocks

/// The effect of a press on an armed app. (A1–A5)
enum PressOutcome: Hashable, Sendable {
  case grant(Right)
  case prompt(Prompt.Kind)
  case refuse
}

extension Authorization {
  func pressOutcome(for app: AppID) -> PressOutcome {
    switch status(of: app) {
    case .notDetermined: record(of: app).isButtonConfirmed ? .grant(.once) : .prompt(.confirm)
    case .whenInUse: .grant(.whenInUse)
    case .always: .grant(.always)
    case .denied: .prompt(.introduce)
    case .restricted: .refuse
    }
  }

  func needsPrompt(_ app: AppID) -> Bool {
    switch pressOutcome(for: app) {
    case .prompt: true
    case .grant, .refuse: false
    }
  }

  /// Whether a press of a button can serve an app.
  func isButton(_ button: String, for app: AppID) -> Bool {
    configuration.boundApps[button]?.contains(app) ?? true
  }

  /// Whether a press that begins now would serve an armed app without a prompt. The receiver can then start at the down
  /// edge.
  package func expectsPress(of button: String, down: MonotonicInstant) -> Bool {
    guard !isLocked, prompt == nil, !isInGuardTime(down), !isInRestTime(at: down) else { return false }
    return armsToServe(from: candidates(for: button, down: down), at: down).contains { !needsPrompt($0.app) }
  }

  mutating func handlePress(
    _ press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if isLocked { return effects.append(.tellPress(nil, .locked)) }  // No grants while locked (D4)
    if press.up + Bounds.grantLife <= now { return }  // The press arrived so late that its grant would have expired.
    if let atButton {
      return answer(atButton, by: press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    }
    if isInGuardTime(press.down) { return }
    if isInRestTime(at: press.down) { return effects.append(.blip(.acquiring)) }  // A repeated press (A8)

    let waiting = arms.values.filter { isButton(press.button, for: $0.app) }
    let candidates = candidates(for: press.button, down: press.down)
    for arm in candidates where pressOutcome(for: arm.app) == .refuse {
      effects.append(.tellPress(arm.session, .restricted))  // The press remains for other apps (A5)
    }
    let chosen = armsToServe(from: candidates, at: now)
    if chosen.isEmpty { return reportNoneServed(waiting, candidates: candidates, into: &effects) }
    for arm in chosen {
      if let illegible {
        // No grant while the indicator cannot be seen (A7).
        effects.append(.tellPress(arm.session, .illegible(illegible)))
      } else if case .prompt(let kind) = pressOutcome(for: arm.app) {
        open(kind, for: arm, press, at: now)
      } else {
        grant(arm, to: record(of: arm.app), press, at: now, into: &effects)
      }
    }
  }

  /// Returns the arms that a press of a button may serve, in the order of service.
  private func candidates(for button: String, down: MonotonicInstant) -> [Arm] {
    arms.values.filter { isButton(button, for: $0.app) && $0.accepted + Bounds.armBeforePress <= down }
      .sorted(by: isServedBefore)
  }

  /// Returns the arms that a press serves, or the arm for which it opens a prompt. Explicit arms come before implicit
  /// ones. In each group, arms that need no prompt come first.
  func armsToServe(from candidates: [Arm], at now: MonotonicInstant) -> [Arm] {
    let free = candidates.filter { if case .grant = pressOutcome(for: $0.app) { true } else { false } }
    let asking = candidates.filter { needsPrompt($0.app) && !isPaused($0.app, at: now) }
    let inOrder = [false, true].flatMap { isImplicit in (free + asking).filter { $0.isImplicit == isImplicit } }
    guard let first = inOrder.first else { return [] }
    guard configuration.pressServesAll, !needsPrompt(first.app) else { return [first] }
    // Each app gets one fix: for its first arm in the order of service.
    var apps: Set<AppID> = []
    return inOrder.filter { !needsPrompt($0.app) && apps.insert($0.app).inserted }
  }

  /// Turns an arm into a grant. The app's position in the order of service is saved first, together with the rest of
  /// its record. (A2, A3)
  mutating func grant(
    _ arm: Arm, to record: AppRecord, _ press: Press, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    var record = record
    let last = records.values.compactMap(\.lastServed).max() ?? 0
    // Only a modified database contains the maximum. The apps then share this number, and the order of arms decides.
    record.lastServed = last < .max ? last + 1 : last
    save(record, at: now, into: &effects)
    guard case .grant(let right) = pressOutcome(for: arm.app) else { return }
    arms[arm.request] = nil
    let grant = Grant(
      request: arm.request, session: arm.session, app: arm.app, right: right, press: press,
      notBefore: press.down - Bounds.oldestEpoch, expires: press.up + Bounds.grantLife)
    grants[grant.request] = grant
    recordUserAct(in: arm.session, at: press.up)
    effects.append(.tellPress(arm.session, .authorized))
    effects.append(.serve(grant))
  }

  /// Whether an arm is served before another: the app served least recently first, then the arm accepted first.
  func isServedBefore(_ left: Arm, _ right: Arm) -> Bool {
    (record(of: left.app).lastServed ?? 0, left.accepted, left.request)
      < (record(of: right.app).lastServed ?? 0, right.accepted, right.request)
  }

  /// Whether a press may have been meant for a prompt: its down edge is less than 1 s after the button stopped
  /// answering a prompt for a reason other than a press.
  private func isInGuardTime(_ down: MonotonicInstant) -> Bool {
    turnEnded.map { down < $0 + Bounds.promptGuard } ?? false
  }

  /// Whether a press is probably a repetition: a fix for a press is in flight, or ended less than 2 s before the down
  /// edge. (A8)
  private func isInRestTime(at down: MonotonicInstant) -> Bool {
    isPressFixInFlight || pressFixEnded.map { down < $0 + Bounds.rest } ?? false
  }

  /// Reports a press that served no app (A6), so that no app learns about another. An app that armed too late receives
  /// a message. All sessions receive one only if no app at all was armed.
  private func reportNoneServed(_ waiting: [Arm], candidates: [Arm], into effects: inout [Effect]) {
    let late = waiting.filter { arm in !candidates.contains(arm) }.sorted { $0.request < $1.request }
    for arm in late { effects.append(.tellPress(arm.session, .armedTooLate)) }
    if arms.isEmpty { effects.append(.tellPress(nil, .nothingArmed)) }
    if effects.allSatisfy({ if case .tellPress(_, .restricted) = $0 { false } else { true } }) {
      effects.append(.blip(.nothingWaiting))
    }
  }
}
