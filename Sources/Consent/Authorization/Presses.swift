package import Base
package import LineProtocol

/// The effect that a press of the button has for an app with a waiting request (authorization reference, rows A1 to
/// A5).
enum PressDecision: Hashable, Sendable {
  case grant(Right)
  case prompt(Prompt.Kind)
  case refuse
}

extension Authorization {
  func pressDecision(for app: AppID) -> PressDecision {
    switch status(of: app) {
    case .notDetermined: record(of: app).isButtonConfirmed ? .grant(.once) : .prompt(.confirm)
    case .whenInUse: .grant(.whenInUse)
    case .always: .grant(.always)
    case .denied: .prompt(.introduce)
    case .restricted: .refuse
    }
  }

  package func needsPrompt(_ app: AppID) -> Bool {
    switch pressDecision(for: app) {
    case .prompt: true
    case .grant, .refuse: false
    }
  }

  package func isButton(_ button: String, for app: AppID) -> Bool {
    configuration.boundApps[button]?.contains(app) ?? true
  }

  /// Whether at least one button serves an app.
  func hasButton(for app: AppID) -> Bool {
    configuration.hasButtonForAllApps || configuration.boundApps.values.contains { $0.contains(app) }
  }

  /// Whether an app made a request that a press can serve.
  var isRequestWaiting: Bool {
    arms.values.contains { !$0.isImplicit && pressDecision(for: $0.app) != .refuse && hasButton(for: $0.app) }
  }

  /// Whether a press of a button would give an app a fix without a question to the user. If true, the receiver can
  /// start before the user releases the button.
  ///
  /// - Parameter down: The instant at which the user pushed the button down.
  package func expectsPress(of button: String, down: MonotonicInstant) -> Bool {
    guard prompt == nil, !isInRestTime(at: down) else { return false }
    return candidates(for: button, down: down).contains { !needsPrompt($0.app) }
  }

  mutating func handlePress(
    _ press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if isLocked { return effects.append(.notifyPress(nil, .locked)) }  // No grants while locked (D4)
    if press.up + Bounds.grantLife <= now { return }  // The press arrived so late that its grant would have expired.
    if let atButton {
      guard isButton(press.button, for: atButton.prompt),
        mark(of: press.button)?.targets(before: press.down).contains(.prompt(atButton.prompt.id)) == true
      else { return effects.append(.blip(.nothingWaiting)) }  // Not for this prompt (A9)
      return answer(atButton, by: press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    }
    if isInRestTime(at: press.down) { return effects.append(.blip(.acquiring)) }  // A repeated press (A8)

    let waiting = arms.values.filter { isButton(press.button, for: $0.app) }
    func isLate(_ arm: Arm) -> Bool { press.down < arm.accepted + Bounds.markBeforePress }
    let refused = waiting.filter { pressDecision(for: $0.app) == .refuse && !isLate($0) }
    for arm in refused.sorted(by: isServedBefore) {
      effects.append(.notifyPress(arm.session, .restricted))  // The press remains for other apps (A5)
    }
    let chosen = armsToServe(from: candidates(for: press.button, down: press.down), at: now)
    if chosen.isEmpty { return reportNoneServed(waiting.filter(isLate).sorted(by: isServedBefore), into: &effects) }
    if let illegible {
      // No grant while the indicator is not visible (row A7).
      for arm in chosen { effects.append(.notifyPress(arm.session, .illegible(illegible))) }
    } else if case .prompt(let kind) = pressDecision(for: chosen[0].app) {
      open(kind, for: chosen[0], press, at: now)
    } else {
      for arm in chosen where arms[arm.request] != nil {
        let others = chosen.filter { $0.request != arm.request && $0.isServed(with: arm) }
        grant([arm] + others, to: record(of: arm.app), press, at: now, into: &effects)
      }
    }
  }

  /// Returns the waiting requests that a press of a button can serve. During the second before the user pushed the
  /// button down, each request was a target of the next press (authorization reference, row A9).
  private func candidates(for button: String, down: MonotonicInstant) -> [Arm] {
    let requests = (mark(of: button)?.targets(before: down) ?? []).compactMap(\.request)
    return requests.compactMap { arms[$0] }.filter { isButton(button, for: $0.app) }
  }

  /// Returns the requests that a press of the button serves, or for which the press opens one prompt. The requests `REQ
  /// once` of apps come first, and among these the requests that need no prompt. A prompt for an implicit request does
  /// not wait for other implicit requests, because those of outputs (a broker, a file) always wait. The requests for the
  /// outputs of one app stay together.
  func armsToServe(from candidates: [Arm], at now: MonotonicInstant) -> [Arm] {
    typealias Ranked = (arm: Arm, rank: Int)
    let ranked = candidates.compactMap { arm -> Ranked? in
      let group = arm.isImplicit ? 2 : 0
      switch pressDecision(for: arm.app) {
      case .grant: return (arm, group)
      case .prompt: return isPaused(arm.app, at: now) ? nil : (arm, arm.isImplicit ? group : group + 1)
      case .refuse: return nil
      }
    }
    func isBefore(_ left: Ranked, _ right: Ranked) -> Bool {
      left.rank == right.rank ? isServedBefore(left.arm, right.arm) : left.rank < right.rank
    }
    // Most often one request is served, so the thousands that may wait are not sorted.
    guard let first = ranked.min(by: isBefore)?.arm else { return [] }
    guard configuration.pressServesAll, !needsPrompt(first.app) else {
      guard first.kind == .eachPress else { return [first] }
      return ranked.map(\.arm).filter { $0.isServed(with: first) }.sorted(by: isServedBefore)
    }
    // Each app gets one fix, for its first request in the order of service.
    var firsts: [AppID: Arm] = [:]
    return ranked.sorted(by: isBefore).map(\.arm).filter { arm in
      guard !needsPrompt(arm.app) else { return false }
      guard let first = firsts[arm.app] else {
        firsts[arm.app] = arm
        return true
      }
      return arm.isServed(with: first)
    }
  }

  /// Gives a grant (the permission for one fix) to each of some waiting requests of one app. Before the grants, the new
  /// place of the app in the order of service is saved (authorization reference, rows A2 and A3).
  mutating func grant(
    _ served: [Arm], to record: AppRecord, _ press: Press, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    var record = record
    // Only a manipulated database contains the maximum number. In that case apps share a number, and the request that
    // was accepted first is served first.
    record.lastServed = lastServed < .max ? lastServed + 1 : lastServed
    save(record, at: now, into: &effects)
    guard case .grant(let right) = pressDecision(for: record.app) else { return }
    for arm in served {
      arms[arm.request] = nil
      let isPolled = arm.kind == .polling
      let life = press.up + Bounds.grantLife
      let grant = Grant(
        request: arm.request, session: arm.session, app: arm.app, right: right, press: press,
        notBefore: press.down - Bounds.oldestEpoch,
        expires: isPolled ? min(max(now, press.up) + Bounds.pollingGrantLife, life) : life, isPolled: isPolled)
      grants[grant.request] = grant
      recordUserAct(in: arm.session, at: press.up)
      effects.append(.notifyPress(arm.session, .authorized))
      effects.append(.serve(grant))
    }
  }

  /// Whether a press of the button serves the request `left` before the request `right`. The app that was served least
  /// recently comes first, and then the request that was accepted first.
  func isServedBefore(_ left: Arm, _ right: Arm) -> Bool {
    (record(of: left.app).lastServed ?? 0, left.accepted, left.request)
      < (record(of: right.app).lastServed ?? 0, right.accepted, right.request)
  }

  /// Whether a press of the button probably repeats an earlier press. The fix for the earlier press is not delivered
  /// yet, or was delivered less than 2 s before `down` (authorization reference, row A8).
  private func isInRestTime(at down: MonotonicInstant) -> Bool {
    isPressFixInFlight || pressFixEnded.map { down < $0 + Bounds.rest } ?? false
  }

  /// Reports a press of the button that gave no app a fix. Each app whose request came too late receives a message. If
  /// no app waited, all sessions receive a message. Otherwise other apps receive none, so that no app learns about
  /// other apps (authorization reference, row A6).
  private func reportNoneServed(_ late: [Arm], into effects: inout [Effect]) {
    for arm in late { effects.append(.notifyPress(arm.session, .armedTooLate)) }
    if arms.isEmpty { effects.append(.notifyPress(nil, .nothingArmed)) }
    effects.append(.blip(.nothingWaiting))
  }
}
