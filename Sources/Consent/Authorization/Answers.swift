import Clocks

// What answers to prompts do.
extension Authorization {
  /// A press answers, if it is of the right button and began when the person can have read the question.
  mutating func answer(
    _ open: OpenPrompt, by press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    let prompt = open.prompt
    guard let turn, isButton(press.button, of: prompt), press.down >= turn.since + Bounds.promptGuard else { return }
    if let first = open.firstPress {
      // In time for a double press, or else the first would have answered by now.
      guard let choice = prompt.kind.choiceByDoublePress, press.button == first.button, press.down >= first.up,
        showsText, illegible == nil
      else { return }
      return answer(prompt, Answer(choice, showsText: true), by: press, at: now, into: &effects)
    }
    if let illegible {  // A7
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

  /// The button that opened a prompt or is bound to its app; where no button opened it, any that serves its app.
  func isButton(_ button: String, of prompt: Prompt) -> Bool {
    guard let press = prompt.press else { return serves(button, prompt.app) }
    return button == press.button || configuration.boundApps[button]?.contains(prompt.app) == true
  }

  /// The person answered, by a press of the button (`press`) or elsewhere. The answer is one that the prompt takes.
  /// - Parameter isHold: whether a hold answered: then nothing more is asked.
  mutating func answer(
    _ prompt: Prompt, _ answer: Answer, by press: Press?, isHold: Bool = false, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    // A press that waited in vain for a second one is followed by more presses than one would think.
    let isByPress = press != nil && press != atButton?.firstPress
    let act = press?.up ?? now
    // By the button alone nothing gets more precise.
    let accuracy = answer.accuracy == .full && !answer.showsText ? nil : answer.accuracy
    switch answer.choice {
    case .yes, .once, .whileUsing, .always:
      close(prompt, .yes, byPress: isByPress, at: now, into: &effects)
    case .keep, .no:
      close(prompt, .no, byPress: isByPress, at: now, into: &effects)
    }
    var record = record(of: prompt.app)
    record.promptPause = nil
    let session = askingSession(of: prompt)
    if prompt.kind.isAskedByApp { asks[prompt.app] = nil }
    switch (prompt.kind, answer.choice) {
    case (.confirm, .yes), (.introduce, .yes):
      record.status = .notDetermined
      record.isButtonConfirmed = true
      record.accuracy = accuracy ?? record.accuracy
      // It counts as the press: the one that answered, or else the one that opened the prompt.
      guard let arm = prompt.arm.flatMap({ arms.removeValue(forKey: $0) }), let press = press ?? prompt.press else {
        return
      }
      endIfChanged(by: record, at: now, into: &effects)
      grant(arm, to: record, press, at: now, into: &effects)
      self.act(in: arm.session, at: act)

    case (.confirm, .no), (.introduce, .no), (.authorize, .no), (.authorizeAlways, .no):
      let isChanged = record.status != .denied
      record.status = .denied
      save(record, at: now, into: &effects)
      if let arm = prompt.arm.flatMap({ arms[$0] }) { disarm(arm, .denied, at: now, into: &effects) }
      if isChanged { endEverything(of: prompt.app, at: now, into: &effects) }

    case (.authorize, .once), (.authorizeAlways, .once):
      save(record, at: now, into: &effects)
      allow(accuracy ?? record.accuracy, in: session, of: prompt.app, actedAt: act, at: now, into: &effects)

    case (.authorize, .whileUsing), (.authorizeAlways, .whileUsing):
      record.status = .whenInUse
      record.isProvisional = prompt.kind == .authorizeAlways  // B2
      // It has asked for "always", and got to see it: B5 will ask the person, and B3 not again.
      record.hasAskedUpgrade = record.hasAskedUpgrade || record.isProvisional
      record.accuracy = accuracy ?? record.accuracy
      change(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.upgrade, .always):
      record.status = .always
      record.accuracy = accuracy ?? record.accuracy
      change(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.always, .always):
      let starts = heldStarts.filter { $0.app == prompt.app }
      let regions = heldRegions.filter { $0.app == prompt.app }
      heldStarts.removeAll { $0.app == prompt.app }
      record.status = .always
      record.isProvisional = false
      record.accuracy = accuracy ?? record.accuracy
      change(to: record, in: nil, actedAt: act, at: now, into: &effects)
      deliver(starts, regions, actedAt: act, at: now, into: &effects)

    case (.always, .keep), (.always, .no):
      refuseAlways(&record, at: now)
      save(record, at: now, into: &effects)

    case (.precise, .yes):
      save(record, at: now, into: &effects)
      makePrecise(session, of: prompt.app, actedAt: act, at: now, into: &effects)

    case (.upgrade, .keep), (.upgrade, .no), (.precise, .keep), (.precise, .no):
      save(record, at: now, into: &effects)

    case (.confirm, .once), (.confirm, .whileUsing), (.confirm, .always), (.confirm, .keep), (.introduce, .once),
      (.introduce, .whileUsing), (.introduce, .always), (.introduce, .keep), (.authorize, .yes),
      (.authorize, .always), (.authorize, .keep), (.authorizeAlways, .yes), (.authorizeAlways, .always),
      (.authorizeAlways, .keep), (.upgrade, .yes), (.upgrade, .once), (.upgrade, .whileUsing), (.always, .yes),
      (.always, .once), (.always, .whileUsing), (.precise, .once), (.precise, .whileUsing), (.precise, .always):
      preconditionFailure("an answer that the prompt does not take")
    }
    if prompt.kind.isAskedByApp { announce(prompt.app, into: &effects) }
    if !isHold { askForHeldStarts(of: prompt.app, at: now) }
  }

  private func askingSession(of prompt: Prompt) -> SessionID? {
    switch prompt.cause {
    case .session(let session): session
    case .press, .heldEvent: nil
    }
  }

  /// D5
  private mutating func endIfChanged(
    by record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let old = self.record(of: record.app)
    if record.status != old.status || record.accuracy != old.accuracy {
      endEverything(of: record.app, at: now, into: &effects)
    }
  }

  /// A standing authorization from now on.
  private mutating func change(
    to record: AppRecord, in session: SessionID?, actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    endIfChanged(by: record, at: now, into: &effects)
    save(record, at: now, into: &effects)
    if let session { self.act(in: session, at: act) }
  }

  /// B1, *allow once*: nothing of it is stored.
  private mutating func allow(
    _ accuracy: Accuracy, in session: SessionID?, of app: AppID, actedAt act: MonotonicInstant,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // D5
    sessions[session]?.allowedOnce = accuracy
    changed[app] = now
    self.act(in: session, at: act)
  }

  /// D3: nothing of it is stored.
  private mutating func makePrecise(
    _ session: SessionID?, of app: AppID, actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // D5
    endUpdates(of: session, .changed, into: &effects)
    sessions[session]?.isPreciseOnce = true
    changed[app] = now
    self.act(in: session, at: act)
  }

  /// B5: "while in use" is left, and the app goes on seeing "always" for a day, so that the change tells it nothing.
  mutating func refuseAlways(_ record: inout AppRecord, at now: MonotonicInstant) {
    record.isProvisional = false
    record.seesAlwaysUntil = now + Bounds.alwaysSeen
    heldRegions.removeAll { $0.app == record.app }
  }
}
