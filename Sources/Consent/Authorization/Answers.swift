import Clocks

// The effects of answers to prompts.
extension Authorization {
  /// Answers a prompt with a press, if the button answers this prompt and the user had time to read it before the
  /// press.
  ///
  /// - Parameters:
  ///   - open: The prompt that the button answers.
  ///   - illegible: The restriction that hides the indicator; nil if there is none.
  ///   - showsText: Whether a display shows the prompt's text to the user at the button.
  mutating func answer(
    _ open: OpenPrompt, by press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    let prompt = open.prompt
    guard let turn, isButton(press.button, for: prompt), press.down >= turn.since + Bounds.promptGuard else { return }
    if let first = open.firstPress {
      // The second press is in time: otherwise the first press would have answered the prompt already.
      guard let choice = prompt.kind.choiceByDoublePress, press.button == first.button, press.down >= first.up,
        showsText, illegible == nil
      else { return }
      return answer(prompt, Answer(choice, showsText: true), by: press, at: now, into: &effects)
    }
    if let illegible {  // No grant while the indicator cannot be seen (A7)
      switch prompt.cause {
      case .press(_, let request): effects.append(.tellPress(arms[request]?.session, .illegible(illegible)))
      case .session(let session): effects.append(.tellPress(session, .illegible(illegible)))
      case .heldEvent: effects.append(.blip(.nothingWaiting))
      }
    } else if showsText, prompt.kind.choiceByDoublePress != nil {
      for index in openPrompts.indices where openPrompts[index].prompt.id == prompt.id {
        openPrompts[index].firstPress = press
        openPrompts[index].doublePress = configuration.doublePress[press.button] ?? Bounds.doublePress
      }
    } else {
      let answer = Answer(prompt.kind.choiceByPress, showsText: showsText)
      self.answer(prompt, answer, by: press, at: now, into: &effects)
    }
  }

  /// Whether a button answers a prompt: the button that opened the prompt, or a button bound to its app. If no button
  /// opened the prompt, every button that serves its app does.
  func isButton(_ button: String, for prompt: Prompt) -> Bool {
    guard let press = prompt.press else { return isButton(button, for: prompt.app) }
    return button == press.button || configuration.boundApps[button]?.contains(prompt.app) == true
  }

  /// Applies the user's answer to a prompt.
  ///
  /// - Parameters:
  ///   - answer: One of the prompt's choices.
  ///   - press: The press that answered; nil if the answer came from another place.
  ///   - isHold: Whether a hold answered. No further prompt opens then.
  mutating func answer(
    _ prompt: Prompt, _ answer: Answer, by press: Press?, isHold: Bool = false, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    // After a first press without a second one the user may press again, so this answer counts as one without a press:
    // further presses are ignored for 1 s.
    let isByPress = press != nil && press != atButton?.firstPress
    let act = press?.up ?? now
    // The accuracy becomes full only if the user saw the text that names the app.
    let accuracy = answer.accuracy == .full && !answer.showsText ? nil : answer.accuracy
    switch answer.choice {
    case .yes, .once, .whileUsing, .always:
      close(prompt, .yes, byPress: isByPress, at: now, into: &effects)
    case .keep, .no:
      close(prompt, .no, byPress: isByPress, at: now, into: &effects)
    }
    var record = record(of: prompt.app)
    record.promptPause = nil
    let session = requestingSession(of: prompt)
    if prompt.kind.isAskedByApp { asks[prompt.app] = nil }
    switch (prompt.kind, answer.choice) {
    case (.confirm, .yes), (.introduce, .yes):
      record.status = .notDetermined
      record.isButtonConfirmed = true
      record.accuracy = accuracy ?? record.accuracy
      // The answer counts as the press: either the press that answered, or the press that opened the prompt.
      guard let arm = prompt.arm.flatMap({ arms.removeValue(forKey: $0) }), let press = press ?? prompt.press else {
        return
      }
      endActivityIfChanged(by: record, at: now, into: &effects)
      grant(arm, to: record, press, at: now, into: &effects)
      recordUserAct(in: arm.session, at: act)

    case (.confirm, .no), (.introduce, .no), (.authorize, .no), (.authorizeAlways, .no):
      let isChanged = record.status != .denied
      record.status = .denied
      save(record, at: now, into: &effects)
      if let arm = prompt.arm.flatMap({ arms[$0] }) { disarm(arm, .denied, at: now, into: &effects) }
      if isChanged { endActivity(of: prompt.app, at: now, into: &effects) }

    case (.authorize, .once), (.authorizeAlways, .once):
      save(record, at: now, into: &effects)
      allowOnce(accuracy ?? record.accuracy, in: session, of: prompt.app, actedAt: act, at: now, into: &effects)

    case (.authorize, .whileUsing), (.authorizeAlways, .whileUsing):
      record.status = .whenInUse
      record.isProvisional = prompt.kind == .authorizeAlways  // A provisional "always" (B2)
      // The app asked for "always" and sees "always". From now on B5 asks the user; B3 must not ask again.
      record.hasAskedUpgrade = record.hasAskedUpgrade || record.isProvisional
      record.accuracy = accuracy ?? record.accuracy
      giveStandingAuthorization(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.upgrade, .always):
      record.status = .always
      record.accuracy = accuracy ?? record.accuracy
      giveStandingAuthorization(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.always, .always):
      let starts = deferredStarts.filter { $0.app == prompt.app }
      let regions = deferredCrossings.filter { $0.app == prompt.app }
      deferredStarts.removeAll { $0.app == prompt.app }
      record.status = .always
      record.isProvisional = false
      record.accuracy = accuracy ?? record.accuracy
      giveStandingAuthorization(to: record, in: nil, actedAt: act, at: now, into: &effects)
      deliverDeferred(starts, regions, actedAt: act, at: now, into: &effects)

    case (.always, .keep), (.always, .no):
      refuseAlways(&record, at: now)
      save(record, at: now, into: &effects)

    case (.precise, .yes):
      save(record, at: now, into: &effects)
      allowPrecise(session, of: prompt.app, actedAt: act, at: now, into: &effects)

    case (.upgrade, .keep), (.upgrade, .no), (.precise, .keep), (.precise, .no):
      save(record, at: now, into: &effects)

    case (.confirm, .once), (.confirm, .whileUsing), (.confirm, .always), (.confirm, .keep), (.introduce, .once),
      (.introduce, .whileUsing), (.introduce, .always), (.introduce, .keep), (.authorize, .yes),
      (.authorize, .always), (.authorize, .keep), (.authorizeAlways, .yes), (.authorizeAlways, .always),
      (.authorizeAlways, .keep), (.upgrade, .yes), (.upgrade, .once), (.upgrade, .whileUsing), (.always, .yes),
      (.always, .once), (.always, .whileUsing), (.precise, .once), (.precise, .whileUsing), (.precise, .always):
      preconditionFailure("the prompt does not offer this answer")
    }
    if prompt.kind.isAskedByApp { announce(prompt.app, into: &effects) }
    if !isHold { promptForDeferredEvents(of: prompt.app, at: now) }
  }

  private func requestingSession(of prompt: Prompt) -> SessionID? {
    switch prompt.cause {
    case .session(let session): session
    case .press, .heldEvent: nil
    }
  }

  /// Ends the app's activity if its status or accuracy changes. (D5)
  private mutating func endActivityIfChanged(
    by record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let old = self.record(of: record.app)
    if record.status != old.status || record.accuracy != old.accuracy {
      endActivity(of: record.app, at: now, into: &effects)
    }
  }

  /// Gives an app a standing authorization.
  private mutating func giveStandingAuthorization(
    to record: AppRecord, in session: SessionID?, actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    endActivityIfChanged(by: record, at: now, into: &effects)
    save(record, at: now, into: &effects)
    if let session { recordUserAct(in: session, at: act) }
  }

  /// Allows an app to get fixes in one session while it is in use. This right is never stored. (B1, *allow once*)
  private mutating func allowOnce(
    _ accuracy: Accuracy, in session: SessionID?, of app: AppID, actedAt act: MonotonicInstant,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // A change of status cancels the arm (D5)
    sessions[session]?.allowedOnce = accuracy
    lastChanged[app] = now
    recordUserAct(in: session, at: act)
  }

  /// Allows an app to get precise fixes in one session while it is in use. This right is never stored. (D3)
  private mutating func allowPrecise(
    _ session: SessionID?, of app: AppID, actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // A change of accuracy cancels the arm (D5)
    endUpdates(of: session, .changed, into: &effects)
    sessions[session]?.isPreciseOnce = true
    lastChanged[app] = now
    recordUserAct(in: session, at: act)
  }

  /// Changes a provisional "always" to "while in use". The app sees "always" for another day, so that the change
  /// reveals nothing about the user's answer. (B5)
  mutating func refuseAlways(_ record: inout AppRecord, at now: MonotonicInstant) {
    record.isProvisional = false
    record.seesAlwaysUntil = now + Bounds.alwaysSeen
    deferredCrossings.removeAll { $0.app == record.app }
  }
}
