package import Clocks

/// An open prompt and its progress.
struct OpenPrompt: Sendable {
  let prompt: Prompt
  /// Whether displays and owner surfaces have been asked to show it.
  var isListed = false
  /// Whether the button has answered it for its whole turn.
  var hadTurn = false
  /// Whether a person could see it, on a display or by the LED.
  var wasShown = false
  /// Since when a person can answer it, and how long one could before.
  var answerableSince: MonotonicInstant?
  var answerable = Duration.zero
  /// A press that answered it and may yet become a double press.
  var firstPress: Press?
  /// How long the press may take to become one.
  var doublePress = Authorization.Bounds.doublePress

  /// When it ends by itself.
  var due: MonotonicInstant { min(firstPress.map { $0.up + doublePress } ?? prompt.deadline, prompt.deadline) }

  /// Counts the time in which a person can answer it.
  mutating func setAnswerable(_ isAnswerable: Bool, at now: MonotonicInstant) {
    if let since = answerableSince { answerable += max(.zero, now - since) }
    answerableSince = isAnswerable ? now : nil
    if isAnswerable { wasShown = true }
  }
}

/// The time during which the button answers one prompt, and the LED shows it.
struct ButtonTurn: Hashable, Sendable {
  let prompt: Int
  let since: MonotonicInstant
}

/// The effect of the next press.
package enum NextPress: Hashable, Sendable {
  /// It answers the prompt.
  case answers
  /// It serves an app that waits for it.
  case serves(AppID)
  case otherwise
}

// Prompts: displays and owner surfaces list all of them, the button answers one at a time.
extension Authorization {
  /// The open prompts, oldest first.
  package var prompts: [Prompt] { openPrompts.map(\.prompt) }

  /// Since when the button answers its prompt.
  package var turnBegan: MonotonicInstant? { turn?.since }

  /// The prompt that the button answers, and that the LED shows.
  package var prompt: Prompt? { atButton?.prompt }

  /// The open prompt that the button answers.
  var atButton: OpenPrompt? { turn.flatMap { turn in openPrompts.first { $0.prompt.id == turn.prompt } } }

  /// Opens a prompt. An app or its regions cause one prompt at a time.
  mutating func open(
    _ kind: Prompt.Kind, for app: AppID, _ cause: Prompt.Cause, at shown: MonotonicInstant,
    until deadline: MonotonicInstant
  ) {
    lastPromptID += 1
    let prompt = Prompt(id: lastPromptID, kind: kind, app: app, cause: cause, shown: shown, deadline: deadline)
    openPrompts.append(OpenPrompt(prompt: prompt))
  }

  /// A1, A4: a press opens a prompt.
  mutating func open(_ kind: Prompt.Kind, for arm: Arm, _ press: Press, at now: MonotonicInstant) {
    let shown = max(now, press.up)
    // No longer than the grant would live that an owner's answer makes of this press.
    let deadline = min(shown + Bounds.promptLife, press.up + Bounds.grantLife)
    open(kind, for: arm.app, .press(press, arm.request), at: shown, until: deadline)
    turn = ButtonTurn(prompt: lastPromptID, since: shown)
  }

  // MARK: At the button

  /// Lists new prompts, and lets the button answer the prompt that is next.
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

  /// Ends the button's turn without a press. A press that is on its way was meant for the prompt.
  mutating func endTurn(at now: MonotonicInstant) {
    turn = nil
    turnEnded = max(turnEnded ?? now, now)
  }

  private func promptForButton(at now: MonotonicInstant) -> Int? {
    // A1, A4: a press opened it.
    if let asked = openPrompts.first(where: { $0.prompt.press != nil }) { return asked.prompt.id }
    guard let quiet = quietSince else { return nil }
    if let atButton, !atButton.hadTurn { return atButton.prompt.id }
    guard quiet <= now else { return nil }
    return openPrompts.first { !$0.hadTurn }?.prompt.id
  }

  /// The instant since which the button may answer an app's prompt: no app waits for a press or its fix, no edge
  /// came for 2 s, and no impatient second press is to be expected (A8). Nil if the button is not free.
  private var quietSince: MonotonicInstant? {
    guard !isLocked, arms.values.allSatisfy(\.isImplicit), !isPressFixInFlight else { return nil }
    let edges = lastEdge.map { $0 + Bounds.quiet } ?? MonotonicInstant(nanoseconds: .min)
    return max(edges, pressFixEnded.map { $0 + Bounds.rest } ?? edges)
  }

  /// When the button begins to answer a prompt; nil if something else must happen first.
  var nextTurnDue: MonotonicInstant? {
    guard turn == nil, openPrompts.contains(where: { !$0.hadTurn }) else { return nil }
    return quietSince
  }

  /// When the button has answered its prompt for long enough, and goes on to the next; nil while a press waits to become
  /// a double press.
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

  /// Returns the effect of the next press, for a display beside an open prompt.
  package func nextPress(beside prompt: Prompt, at now: MonotonicInstant) -> NextPress {
    if turn?.prompt == prompt.id { return .answers }
    if turn != nil || isLocked || isPressFixInFlight { return .otherwise }
    if arms.values.contains(where: { !$0.isImplicit }) {
      return chosen(from: arms.values.sorted(by: isServedBefore), at: now).first.map { .serves($0.app) } ?? .otherwise
    }
    return openPrompts.first { !$0.hadTurn }?.prompt == prompt ? .answers : .otherwise
  }

  // MARK: Ends

  func isPaused(_ app: AppID, at now: MonotonicInstant) -> Bool {
    record(of: app).promptPause.map { now < $0.until } ?? false
  }

  /// Nobody answered: nothing changes but that the app is disarmed, and may cause no prompt for a while. Only "always"
  /// is not kept for want of an answer (B5).
  mutating func leaveUnanswered(_ open: OpenPrompt, at instant: MonotonicInstant, into effects: inout [Effect]) {
    let prompt = open.prompt
    close(prompt, .unanswered, byPress: false, at: instant, into: &effects)
    var record = record(of: prompt.app)
    let answerable = open.answerable + (open.answerableSince.map { instant - $0 } ?? .zero)
    if prompt.press != nil || answerable >= Bounds.promptLife { pausePrompts(of: &record, prompt.kind, at: instant) }
    if prompt.kind == .always { refuseAlways(&record, at: instant) }
    save(record, at: instant, into: &effects)
    if prompt.press != nil { empty(at: instant, into: &effects) { $0.app == prompt.app } }
    if prompt.kind.isAskedByApp, let ask = asks[prompt.app] { end(ask, .noPress, into: &effects) }
    // The client of an implicit arm goes on watching: the pause keeps it from asking again.
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

  /// Closes prompts that are not shown any more. The apps that asked see no difference: how a person answered
  /// another app stays hidden from them. Region events that waited are dropped; starts end as if no fix had come.
  mutating func empty(
    at now: MonotonicInstant, into effects: inout [Effect], where isMeant: (Prompt) -> Bool = { _ in true }
  ) {
    for prompt in prompts where isMeant(prompt) {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
      if prompt.kind == .always { heldRegions.removeAll { $0.app == prompt.app } }
    }
  }

  /// The app takes back the prompt that it caused. If a person may have seen the prompt, that counts as no answer.
  mutating func withdraw(_ prompt: Prompt, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let open = openPrompts.first(where: { $0.prompt.id == prompt.id }) else { return }
    close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    guard open.wasShown || prompt.press != nil else { return }
    var record = record(of: prompt.app)
    pausePrompts(of: &record, prompt.kind, at: now)
    save(record, at: now, into: &effects)
  }

  /// What an app caused in a session goes with it.
  mutating func withdrawPrompts(
    askedIn session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app, asks[app]?.session == session else { return }
    asks[app] = nil
    for prompt in prompts where prompt.cause == .session(session) { withdraw(prompt, at: now, into: &effects) }
    askForHeldStarts(of: app, at: now)
  }

  /// D5: what an app caused goes with the status or accuracy under which it did.
  mutating func withdrawPrompts(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if let ask = asks[app] { end(ask, nil, into: &effects) }
    for prompt in prompts where prompt.app == app {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    }
  }
}
