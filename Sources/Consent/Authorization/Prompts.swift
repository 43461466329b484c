package import Clocks

/// An open prompt with its state.
struct OpenPrompt: Sendable {
  let prompt: Prompt
  /// Whether `handle` has returned the effect that shows this prompt.
  var isListed = false
  /// Whether the time is over in which a press of the button could answer the prompt. This time is 10 s.
  var hadTurn = false
  /// Whether a user could see the prompt, on a display or by the indicator.
  var wasShown = false
  /// The instant since which a user can answer the prompt; nil if no user can answer the prompt now.
  var answerableSince: MonotonicInstant?
  /// The total length of the earlier periods in which a user could answer the prompt.
  var answerable = Duration.zero
  /// The first press of a possible double press. If no second press follows, this press alone answers the prompt.
  var firstPress: Press?
  /// The maximum time from `firstPress` to the second press of a double press.
  var doublePress = Authorization.Bounds.doublePress

  /// The instant at which the prompt expires. If a first press waits for a second press, the value is the instant at
  /// which the first press alone answers the prompt.
  var due: MonotonicInstant { min(firstPress.map { $0.up + doublePress } ?? prompt.deadline, prompt.deadline) }

  /// Records that the state of the prompt changed: a user can, or can no longer, answer the prompt.
  mutating func setAnswerable(_ isAnswerable: Bool, at now: MonotonicInstant) {
    if let since = answerableSince { answerable += max(.zero, now - since) }
    answerableSince = isAnswerable ? now : nil
    if isAnswerable { wasShown = true }
  }
}

/// A period in which a press of the button answers one particular prompt. During this period, the indicator shows the
/// prompt.
struct ButtonTurn: Hashable, Sendable {
  let prompt: Int
  let since: MonotonicInstant
}

/// The effect that the next press will have.
package enum NextPress: Hashable, Sendable {
  /// The press will answer the prompt.
  case answers
  /// The press will give a fix to this app, whose request waits for a press.
  case serves(AppID)
  case otherwise
}

// Prompts. Displays, and owners' consoles and pages, list all open prompts. The button answers one prompt at a time.
extension Authorization {
  /// The open prompts, oldest first.
  package var prompts: [Prompt] { openPrompts.map(\.prompt) }

  /// The instant at which the button began to answer a prompt; nil if a press answers no prompt now.
  package var turnBegan: MonotonicInstant? { turn?.since }

  /// The prompt that the button answers and the indicator shows; nil if the button answers no prompt.
  package var prompt: Prompt? { atButton?.prompt }

  /// The open prompt that the button answers; nil if the button answers no prompt.
  var atButton: OpenPrompt? { turn.flatMap { turn in openPrompts.first { $0.prompt.id == turn.prompt } } }

  /// Opens a prompt. At any time, there is at most one open prompt about an app, including the prompts about its
  /// regions.
  mutating func open(
    _ kind: Prompt.Kind, for app: AppID, _ cause: Prompt.Cause, at shown: MonotonicInstant,
    until deadline: MonotonicInstant
  ) {
    lastPromptID += 1
    let prompt = Prompt(id: lastPromptID, kind: kind, app: app, cause: cause, shown: shown, deadline: deadline)
    openPrompts.append(OpenPrompt(prompt: prompt))
  }

  /// Opens a prompt because of a press. (A1, A4)
  mutating func open(_ kind: Prompt.Kind, for arm: Arm, _ press: Press, at now: MonotonicInstant) {
    let shown = max(now, press.up)
    // An owner may answer the prompt some time after the press. The answer then turns the press into a grant, which is
    // valid only for a limited time after the press. The prompt therefore ends no later than this grant would end.
    let deadline = min(shown + Bounds.promptLife, press.up + Bounds.grantLife)
    open(kind, for: arm.app, .press(press, arm.request), at: shown, until: deadline)
    turn = ButtonTurn(prompt: lastPromptID, since: shown)
  }

  // MARK: At the button

  /// Shows new prompts, and selects the prompt that the button answers.
  mutating func showPrompts(at now: MonotonicInstant, into effects: inout [Effect]) {
    for index in openPrompts.indices where !openPrompts[index].isListed {
      openPrompts[index].isListed = true
      effects.append(.show(openPrompts[index].prompt))
    }
    let next = promptForButton(at: now)
    if next != turn?.prompt {
      if turn != nil { endTurn(at: now) }
      turn = next.map { ButtonTurn(prompt: $0, since: now) }
    }
    for index in openPrompts.indices {
      let isAnswerable = areSurfacesOpen || openPrompts[index].prompt.id == turn?.prompt
      if isAnswerable != (openPrompts[index].answerableSince != nil) {
        openPrompts[index].setAnswerable(isAnswerable, at: now)
      }
    }
  }

  /// Ends the period in which a press of the button answers a prompt. The caller calls this function if the reason for
  /// the end is not a press. The function records the instant of the end. If the user presses the button in the next
  /// second, the user may have wanted to answer that prompt.
  mutating func endTurn(at now: MonotonicInstant) {
    turn = nil
    turnEnded = max(turnEnded ?? now, now)
  }

  /// Returns the identifier of the prompt that the button should answer now; nil if there is none.
  private func promptForButton(at now: MonotonicInstant) -> Int? {
    // A prompt that a press opened comes first (A1, A4).
    if let asked = openPrompts.first(where: { $0.prompt.press != nil }) { return asked.prompt.id }
    guard let quiet = quietSince else { return nil }
    if let atButton, !atButton.hadTurn { return atButton.prompt.id }
    guard quiet <= now else { return nil }
    return openPrompts.first { !$0.hadTurn }?.prompt.id
  }

  /// The instant from which a press of the button can answer a prompt that no press opened. This is 2 s after the last
  /// press or release of a button, and at least 2 s after the end of the last fix for a press (A8). The value is nil if
  /// the gateway is locked, if an app waits for a press, or if the fix for a press is not delivered yet.
  private var quietSince: MonotonicInstant? {
    guard !isLocked, arms.values.allSatisfy(\.isImplicit), !isPressFixInFlight else { return nil }
    let edges = lastEdge.map { $0 + Bounds.quiet } ?? MonotonicInstant(nanoseconds: .min)
    return max(edges, pressFixEnded.map { $0 + Bounds.rest } ?? edges)
  }

  /// The next instant at which the button begins to answer a prompt. The value is nil if some other event must happen
  /// first.
  var nextTurnDue: MonotonicInstant? {
    guard turn == nil, openPrompts.contains(where: { !$0.hadTurn }) else { return nil }
    return quietSince
  }

  /// The instant at which the button stops answering the present prompt. The value is nil if the button answers no
  /// prompt, or if a press opened the prompt. The value is also nil while a first press waits for the second press of a
  /// double press.
  var turnDue: MonotonicInstant? {
    guard let turn, let atButton, atButton.prompt.press == nil, atButton.firstPress == nil else { return nil }
    return turn.since + Bounds.promptLife
  }

  mutating func finishTurn(at instant: MonotonicInstant) {
    guard let index = openPrompts.firstIndex(where: { $0.prompt.id == turn?.prompt }) else { return }
    openPrompts[index].hadTurn = true
    openPrompts[index].setAnswerable(areSurfacesOpen, at: instant)
    endTurn(at: instant)
  }

  /// Returns the effect that the next press will have. A display shows this effect beside an open prompt.
  package func nextPress(beside prompt: Prompt, at now: MonotonicInstant) -> NextPress {
    if turn?.prompt == prompt.id { return .answers }
    if turn != nil || isLocked || isPressFixInFlight { return .otherwise }
    if arms.values.contains(where: { !$0.isImplicit }) {
      return armsToServe(from: arms.values.sorted(by: isServedBefore), at: now).first.map { .serves($0.app) }
        ?? .otherwise
    }
    return openPrompts.first { !$0.hadTurn }?.prompt == prompt ? .answers : .otherwise
  }

  // MARK: Ends

  func isPaused(_ app: AppID, at now: MonotonicInstant) -> Bool {
    record(of: app).promptPause.map { now < $0.until } ?? false
  }

  /// Closes a prompt that nobody answered, and ends the app's request. For some time, further requests of the app open
  /// no prompt. The app's authorization stays the same, with one exception: a provisional "always" ends. (B5)
  mutating func leaveUnanswered(_ open: OpenPrompt, at instant: MonotonicInstant, into effects: inout [Effect]) {
    let prompt = open.prompt
    close(prompt, .unanswered, byPress: false, at: instant, into: &effects)
    var record = record(of: prompt.app)
    let answerable = open.answerable + (open.answerableSince.map { instant - $0 } ?? .zero)
    if prompt.press != nil || answerable >= Bounds.promptLife { pausePrompts(of: &record, prompt.kind, at: instant) }
    if prompt.kind == .always { refuseAlways(&record, at: instant) }
    save(record, at: instant, into: &effects)
    if prompt.press != nil { closePrompts(at: instant, into: &effects) { $0.app == prompt.app } }
    if prompt.kind.isAskedByApp, let ask = asks[prompt.app] { end(ask, .noPress, into: &effects) }
    // An implicit request stays until the gpsd client stops watching. The pause of the app's prompts prevents further
    // prompts for this request.
    if let arm = prompt.arm.flatMap({ arms[$0] }), !arm.isImplicit {
      disarm(arm, .noPress, at: instant, into: &effects)
    }
  }

  private func pausePrompts(of record: inout AppRecord, _ kind: Prompt.Kind, at instant: MonotonicInstant) {
    let length = min(max((record.promptPause?.length ?? .zero) * 2, kind.firstPause), Bounds.longestPause)
    record.promptPause = PromptPause(until: instant + length, length: length)
  }

  mutating func close(
    _ prompt: Prompt, _ closing: PromptClosing, byPress: Bool, at instant: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let index = openPrompts.firstIndex(where: { $0.prompt.id == prompt.id }) else { return }
    if turn?.prompt == prompt.id { if byPress { turn = nil } else { endTurn(at: instant) } }
    if openPrompts.remove(at: index).isListed { effects.append(.close(prompt, closing)) }
  }

  /// Closes prompts that became obsolete. There are two cases: a hold answered some other prompt, or a press opened a
  /// prompt about the same app and nobody answered that prompt. The apps of these prompts receive no message, so that
  /// they do not learn the answer to the prompt of some other app. The function drops the entries into and exits from
  /// regions that wait for an answer. Requests that wait for an answer time out later, as if the receiver had found no
  /// fix.
  mutating func closePrompts(
    at now: MonotonicInstant, into effects: inout [Effect], where isIncluded: (Prompt) -> Bool = { _ in true }
  ) {
    for prompt in prompts where isIncluded(prompt) {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
      if prompt.kind == .always { deferredCrossings.removeAll { $0.app == prompt.app } }
    }
  }

  /// Closes a prompt because its app withdrew the request. If a user could see the prompt, the gateway counts the
  /// prompt as unanswered.
  mutating func withdraw(_ prompt: Prompt, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let open = openPrompts.first(where: { $0.prompt.id == prompt.id }) else { return }
    close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    guard open.wasShown || prompt.press != nil else { return }
    var record = record(of: prompt.app)
    pausePrompts(of: &record, prompt.kind, at: now)
    save(record, at: now, into: &effects)
  }

  /// Withdraws the prompts that an app caused in a session.
  mutating func withdrawPrompts(
    askedIn session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app, asks[app]?.session == session else { return }
    asks[app] = nil
    for prompt in prompts where prompt.cause == .session(session) { withdraw(prompt, at: now, into: &effects) }
    promptForDeferredEvents(of: app, at: now)
  }

  /// Closes the prompts of an app because its status or accuracy changed. (D5)
  mutating func withdrawPrompts(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if let ask = asks[app] { end(ask, nil, into: &effects) }
    for prompt in prompts where prompt.app == app {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    }
  }
}
