package import Base
package import LineProtocol

/// An open prompt (a question to the user about an app), with the periods in which the user can answer.
struct OpenPrompt: Sendable {
  let prompt: Prompt
  /// Whether `Authorization.handle` has already returned the effect `show` for this prompt.
  var isListed = false
  /// Whether the user can no longer answer the prompt by a press of the button, because its 10 s are over.
  var hadTurn = false
  /// Whether the user could already see the prompt, on a display or by the indicator (the LED).
  var wasShown = false
  /// The beginning of the present period in which the user can answer the prompt; nil outside such a period.
  var answerableSince: MonotonicInstant?
  /// The total duration of the completed periods in which the user could answer the prompt.
  var answerable = Duration.zero
  /// The first press of a possible double press of the button; nil if there is none. Without a second press in time,
  /// the first press alone answers the prompt.
  var firstPress: Press?
  /// The maximum time between the two releases of a double press of the button.
  var doublePress = Authorization.Bounds.doublePress

  /// The instant at which the prompt expires, or at which `firstPress` alone answers the prompt, whichever is earlier.
  var due: MonotonicInstant { min(firstPress.map { $0.up + doublePress } ?? prompt.deadline, prompt.deadline) }

  mutating func setAnswerable(_ isAnswerable: Bool, at now: MonotonicInstant) {
    if let since = answerableSince { answerable += max(.zero, now - since) }
    answerableSince = isAnswerable ? now : nil
    if isAnswerable { wasShown = true }
  }
}

/// The prompt (a question to the user) that a press of the button answers. The indicator (the LED) shows this prompt.
struct ButtonTurn: Hashable, Sendable {
  let prompt: Int
  /// The instant since which a press answers the prompt; nil while the indicator shows a one-time use of the location
  /// instead of the prompt.
  let since: MonotonicInstant?
}

/// The effect of the next press of the button, for a display that shows a prompt (a question to the user).
package enum NextPress: Hashable, Sendable {
  /// The next press answers the displayed prompt.
  case answers
  /// The next press gives a fix to this app.
  case serves(AppID)
  /// The next press does not answer the displayed prompt. The reason is nil if the prompt is closed.
  case otherwise(Reason?)

  /// The reason why the next press does not answer the displayed prompt. The raw value is the word in the text
  /// protocol.
  package enum Reason: String, Hashable, Sendable {
    case anotherButton = "another-button"
    case anotherQuestion = "another-question"
    /// The request of an app waits for a press of another button.
    case anotherApp = "another-app"
    /// The fix for an earlier press is not delivered yet, or the indicator still shows a one-time use.
    case afterFix = "after-fix"
    /// The 10 s in which a press of the button can answer the prompt are over.
    case timeOver = "time-over"
  }
}

// Prompts. Displays, consoles and pages list all open prompts. The button answers one prompt at a time.
extension Authorization {
  /// The open prompts (questions to the user), oldest first.
  package var prompts: [Prompt] { openPrompts.map(\.prompt) }

  /// The prompt (a question to the user) that a press of the button answers; nil if there is none. The indicator (the
  /// LED) shows this state. While the indicator shows a one-time use of the location, the prompt waits for the end of
  /// the use.
  package var prompt: Prompt? { atButton?.prompt }

  /// The prompt (a question to the user) that a press of the button answers now; nil while the indicator (the LED) shows
  /// a one-time use of the location, and if there is no such prompt.
  package var answerablePrompt: Prompt? { turn?.since == nil ? nil : prompt }

  var atButton: OpenPrompt? { turn.flatMap { turn in openPrompts.first { $0.prompt.id == turn.prompt } } }

  /// Opens a prompt (a question to the user about an app). The app must not have another open prompt with the same kind
  /// of cause: one that a press opened, or one that the app caused.
  mutating func open(
    _ kind: Prompt.Kind, for app: AppID, _ cause: Prompt.Cause, at shown: MonotonicInstant,
    until deadline: MonotonicInstant
  ) {
    lastPromptID += 1
    let prompt = Prompt(id: lastPromptID, kind: kind, app: app, cause: cause, shown: shown, deadline: deadline)
    openPrompts.append(OpenPrompt(prompt: prompt))
    touched.insert(app)
  }

  /// Opens a prompt for a request that a press of the button selected. The request needs the user's permission first
  /// (authorization reference, rows A1 and A4).
  mutating func open(_ kind: Prompt.Kind, for arm: Arm, _ press: Press, at now: MonotonicInstant) {
    let shown = max(now, press.up)
    // The answer turns the press into a grant. The prompt ends no later than the grant would end.
    open(kind, for: arm.app, .press(press, arm.request), at: shown, until: press.up + Bounds.grantLife)
    turn = ButtonTurn(prompt: lastPromptID, since: shown)
  }

  // MARK: At the button

  /// Displays new prompts, and chooses the prompt that a press of the button answers.
  mutating func showPrompts(at now: MonotonicInstant, into effects: inout [Effect]) {
    for index in openPrompts.indices where !openPrompts[index].isListed {
      openPrompts[index].isListed = true
      effects.append(.show(openPrompts[index].prompt))
    }
    let next = promptForButton(at: now)
    // After a use of the location that the indicator showed, the turn begins again.
    let since = next == turn?.prompt ? turn?.since ?? now : now
    let nextTurn = next.map { ButtonTurn(prompt: $0, since: now < useShownUntil ? nil : since) }
    if nextTurn != turn { turn = nextTurn }
    for index in openPrompts.indices {
      let isAnswerable = areSurfacesOpen || turn?.since != nil && openPrompts[index].prompt.id == turn?.prompt
      if isAnswerable != (openPrompts[index].answerableSince != nil) {
        openPrompts[index].setAnswerable(isAnswerable, at: now)
      }
    }
  }

  private func promptForButton(at now: MonotonicInstant) -> Int? {
    if openPrompts.isEmpty { return nil }
    // A prompt that a press opened comes first (rows A1 and A4).
    if let asked = openPrompts.first(where: { $0.prompt.press != nil }) { return asked.prompt.id }
    guard let quiet = quietSince else { return nil }
    if let atButton, !atButton.hadTurn { return atButton.prompt.id }
    guard quiet <= now else { return nil }
    return nextForButton?.id
  }

  /// The oldest prompt for which the user had no time at a button yet; nil if there is none.
  private var nextForButton: Prompt? {
    openPrompts.first { !$0.hadTurn && hasButton(for: $0.prompt.app) }?.prompt
  }

  /// The earliest instant at which a press of the button can answer a prompt that no press opened. This instant is 2 s
  /// after the latest press, release or fix for a press (authorization reference, row A8), and not before the end of a
  /// one-time use that the indicator shows. The value is nil while an app waits for a press, or the fix for a press is
  /// not delivered.
  private var quietSince: MonotonicInstant? {
    guard !isRequestWaiting, !isPressFixInFlight else { return nil }
    let rests = [lastEdge.map { $0 + Bounds.quiet }, pressFixEnded.map { $0 + Bounds.rest }]
    return rests.compactMap(\.self).reduce(useShownUntil, max)
  }

  /// The instant from which a press of the button answers the next prompt, or answers the present prompt again. The
  /// value is nil if a press already answers a prompt, if no prompt waits, or if another event must happen first.
  var nextTurnDue: MonotonicInstant? {
    if let turn { return turn.since == nil ? useShownUntil : nil }
    return nextForButton == nil ? nil : quietSince
  }

  /// The instant at which presses of the button stop answering the present prompt; nil if there is no such prompt, or
  /// after the first press of a possible double press. A prompt that a press opened then ends.
  var turnDue: MonotonicInstant? {
    guard let since = turn?.since, let atButton, atButton.firstPress == nil else { return nil }
    return since + Bounds.promptLife
  }

  /// Ends the period in which presses of the button answer the present prompt. A prompt that a press opened ends, too.
  mutating func finishTurn(at instant: MonotonicInstant, into effects: inout [Effect]) {
    guard let index = openPrompts.firstIndex(where: { $0.prompt.id == turn?.prompt }) else { return }
    if openPrompts[index].prompt.press != nil {
      return leaveUnanswered(openPrompts[index], at: instant, into: &effects)
    }
    openPrompts[index].hadTurn = true
    turn = nil
  }

  /// Returns the effect of the next press of a button, for a display that shows an open prompt. Only buttons that can
  /// answer the prompt count.
  ///
  /// - Parameter buttons: The names of all buttons of the board.
  package func nextPress(beside prompt: Prompt, of buttons: [String]) -> NextPress {
    let own = buttons.filter { isButton($0, for: prompt) }
    if own.isEmpty { return .otherwise(.anotherButton) }
    if let turn, turn.prompt == prompt.id { return turn.since == nil ? .otherwise(.afterFix) : .answers }
    guard let open = openPrompts.first(where: { $0.prompt.id == prompt.id }) else { return .otherwise(nil) }
    if turn != nil { return .otherwise(open.hadTurn ? .timeOver : .anotherQuestion) }
    if isPressFixInFlight { return .otherwise(open.hadTurn ? .timeOver : .afterFix) }
    let marked = own.flatMap { markedRequests(of: $0) }
    if let next = marked.min(by: isServedBefore) { return .serves(next.app) }
    if isRequestWaiting { return .otherwise(.anotherApp) }
    if open.hadTurn { return .otherwise(.timeOver) }
    return nextForButton == prompt ? .answers : .otherwise(.anotherQuestion)
  }

  /// Returns the last instant at which a user can answer a prompt. While a press of the button answers the prompt, the
  /// result is the end of this period. Otherwise the result is the deadline of the prompt.
  package func answerDeadline(of prompt: Prompt) -> MonotonicInstant {
    turn?.prompt == prompt.id ? min(turnDue ?? prompt.deadline, prompt.deadline) : prompt.deadline
  }

  // MARK: Ends

  package func isPaused(_ app: AppID, at now: MonotonicInstant) -> Bool {
    record(of: app).promptPause.map { now < $0.until } ?? false
  }

  /// Returns the connected apps whose prompts are paused.
  package func pausedApps(at now: MonotonicInstant) -> [AppID] {
    sessions.apps.filter { needsPrompt($0) && isPaused($0, at: now) }.sorted()
  }

  /// Closes a prompt that the user did not answer, and ends the request of the app. A pause begins, in which the app
  /// can open no prompt. Exception: an unanswered prompt for the authorization "always" counts as a refusal
  /// (authorization reference, row B5).
  mutating func leaveUnanswered(_ open: OpenPrompt, at instant: MonotonicInstant, into effects: inout [Effect]) {
    let prompt = open.prompt
    close(prompt, .unanswered, at: instant, into: &effects)
    var record = record(of: prompt.app)
    if prompt.kind == .always {
      refuseAlways(&record, at: instant)
    } else {
      let answerable = open.answerable + (open.answerableSince.map { instant - $0 } ?? .zero)
      unanswered[prompt.app, default: .zero] += answerable
      if unanswered[prompt.app, default: .zero] >= Bounds.promptLife {
        pausePrompts(of: &record, prompt.kind, at: instant)
      }
    }
    save(record, at: instant, into: &effects)
    endPausedRequest(of: prompt.app, at: instant, into: &effects)
    if prompt.press != nil { closePrompts(at: instant, into: &effects) { $0.app == prompt.app } }
    if prompt.kind.isAskedByApp, let ask = asks[prompt.app] { end(ask, .noPress, into: &effects) }
    // An implicit request stays until its client stops reading. The pause prevents further prompts for it.
    if let arm = prompt.arm.flatMap({ arms[$0] }), !arm.isImplicit {
      disarm(arm, .noPress, at: instant, into: &effects)
    }
  }

  /// Begins a pause, in which the app can open no prompt. `endPausedRequest` must follow.
  mutating func pausePrompts(of record: inout AppRecord, _ kind: Prompt.Kind, at instant: MonotonicInstant) {
    unanswered[record.app] = nil
    let length = min(max((record.promptPause?.length ?? .zero) * 2, kind.firstPause), Bounds.longestPause)
    record.promptPause = PromptPause(until: instant + length, length: length)
  }

  /// Ends the request `REQ once` of an app whose prompts are paused, if a press would need a prompt first. Otherwise the
  /// request would keep the button from the prompts about other apps. A request with an open prompt stays.
  mutating func endPausedRequest(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard isPaused(app, at: now), needsPrompt(app) else { return }
    let asked = Set(prompts.compactMap(\.arm))
    disarm(app, .noPress, at: now, into: &effects) { !$0.isImplicit && !asked.contains($0.request) }
  }

  mutating func close(
    _ prompt: Prompt, _ closing: PromptClosing, at instant: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let index = openPrompts.firstIndex(where: { $0.prompt.id == prompt.id }) else { return }
    if turn?.prompt == prompt.id { turn = nil }
    touched.insert(prompt.app)
    if openPrompts.remove(at: index).isListed { effects.append(.close(prompt, closing)) }
  }

  /// Closes open prompts without a message to their apps. Region events that wait for the answer are dropped. Requests
  /// that wait for the answer time out later, as if the receiver had found no fix.
  ///
  /// - Parameter isIncluded: A closure that returns whether to close a prompt.
  mutating func closePrompts(
    at now: MonotonicInstant, into effects: inout [Effect], where isIncluded: (Prompt) -> Bool = { _ in true }
  ) {
    for prompt in prompts where isIncluded(prompt) {
      close(prompt, .withdrawn, at: now, into: &effects)
      if prompt.kind == .always { deferredCrossings.removeAll { $0.app == prompt.app } }
    }
  }

  /// Closes a prompt because the app cancelled its request. A prompt that the user could see counts as unanswered, and
  /// begins a pause. A prompt for the authorization "always" counts as refused, without a pause, because the app must
  /// not learn of this prompt (authorization reference, row B5).
  mutating func withdraw(_ prompt: Prompt, at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let open = openPrompts.first(where: { $0.prompt.id == prompt.id }) else { return }
    close(prompt, .withdrawn, at: now, into: &effects)
    guard open.wasShown else { return }
    var record = record(of: prompt.app)
    if prompt.kind == .always {
      refuseAlways(&record, at: now)
    } else {
      pausePrompts(of: &record, prompt.kind, at: now)
    }
    save(record, at: now, into: &effects)
    endPausedRequest(of: prompt.app, at: now, into: &effects)
  }

  mutating func withdrawPrompts(
    askedIn session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app, asks[app]?.session == session else { return }
    asks[app] = nil
    for prompt in prompts where prompt.cause == .session(session) { withdraw(prompt, at: now, into: &effects) }
    promptForDeferredEvents(of: app, at: now)
  }

  /// Closes the prompts about an app after a change of its authorization status or accuracy (authorization reference,
  /// row D5).
  mutating func withdrawPrompts(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    if let ask = asks[app] { end(ask, nil, into: &effects) }
    for prompt in prompts where prompt.app == app {
      close(prompt, .withdrawn, at: now, into: &effects)
    }
  }
}
