import Base
import LineProtocol

extension Authorization {
  /// Answers a prompt by a press of the button, or waits for the second press of a double press. While the indicator
  /// (the LED) is not visible, a press answers no prompt.
  ///
  /// - Parameters:
  ///   - illegible: The reason why the indicator is not visible; nil if the indicator is visible.
  ///   - showsText: Whether a display at the button shows the text of the prompt.
  mutating func answer(
    _ open: OpenPrompt, by press: Press, illegible: String?, showsText: Bool, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    let prompt = open.prompt
    if let first = open.firstPress {
      // This press may be the second press of a double press. The press is not too late: after the time for a double
      // press, the first press alone would have answered the prompt, and the prompt would be closed.
      guard let choice = prompt.kind.choiceByDoublePress, press.button == first.button, press.down >= first.up,
        showsText, illegible == nil
      else { return }
      return answer(prompt, Answer(choice, showsText: true), by: press, at: now, into: &effects)
    }
    if let illegible {  // No grant while the indicator cannot be seen (A7)
      switch prompt.cause {
      case .press(_, let request): effects.append(.notifyPress(arms[request]?.session, .illegible(illegible)))
      case .session(let session): effects.append(.notifyPress(session, .illegible(illegible)))
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

  /// Whether a button can answer a prompt (a question about an app). The button must serve the app. If a press opened
  /// the prompt, only the pressed button, and buttons that are configured for this app by name, can answer.
  package func isButton(_ button: String, for prompt: Prompt) -> Bool {
    guard let press = prompt.press else { return isButton(button, for: prompt.app) }
    return button == press.button || configuration.boundApps[button]?.contains(prompt.app) == true
  }

  /// Applies the user's answer to a prompt.
  ///
  /// - Parameters:
  ///   - press: The press of the button that answered the prompt; nil for an answer by a hold of the button, or without
  ///     the button.
  ///   - isHold: Whether the user refused by a hold of the button (a press of some seconds). After a hold, no prompt
  ///     for the authorization "always" opens.
  mutating func answer(
    _ prompt: Prompt, _ answer: Answer, by press: Press?, isHold: Bool = false, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    let act = press?.up ?? now
    switch answer.choice {
    case .yes, .once, .whileUsing, .always:
      close(prompt, .yes, at: now, into: &effects)
    case .keep, .no:
      close(prompt, .no, at: now, into: &effects)
    }
    var record = record(of: prompt.app)
    switch (prompt.kind, answer.choice) {
    case (.introduce, .no), (.precise, .keep), (.precise, .no):
      // The answer changes no permission. Without a pause, the app could cause the same prompt again at once.
      pausePrompts(of: &record, prompt.kind, at: now)
    default:
      record.promptPause = nil
      unanswered[prompt.app] = nil
    }
    // The text names the app. If the text was not shown, or if the answer is "keep" or "no", the answer cannot make the
    // accuracy more precise.
    let isPositive = answer.choice != .keep && answer.choice != .no
    let mayChoose = answer.showsText && isPositive || answer.accuracy.map { $0 <= record.accuracy } ?? true
    let accuracy = mayChoose ? answer.accuracy : nil
    effects.append(.recordAnswer(prompt, answer.choice, accuracy))
    let session = requestingSession(of: prompt)
    if prompt.kind.isAskedByApp { asks[prompt.app] = nil }
    switch (prompt.kind, answer.choice) {
    case (.confirm, .yes), (.introduce, .yes):
      record.status = .notDetermined
      record.isButtonConfirmed = true
      record.accuracy = accuracy ?? record.accuracy
      // The press of the grant is the press that answered the prompt. After an answer without the button, the press
      // that opened the prompt is the press of the grant.
      guard let opening = prompt.press, let arm = prompt.arm.flatMap({ arms[$0] }) else { return }
      // The other outputs of the app had the mark together with this one, if they waited long enough.
      let others = arms.values(of: prompt.app).filter { other in
        other.request != arm.request && other.isServed(with: arm)
          && other.accepted + Bounds.markBeforePress <= opening.down
      }
      let served = [arm] + others
      for arm in served { arms[arm.request] = nil }
      endActivityIfChanged(by: record, at: now, into: &effects)
      grant(served, to: record, press ?? opening, at: now, into: &effects)
      for arm in served { recordUserAct(in: arm.session, at: act) }

    case (.confirm, .no), (.introduce, .no), (.authorize, .no), (.authorizeAlways, .no):
      record.status = .denied
      record.accuracy = accuracy ?? record.accuracy
      if let arm = prompt.arm.flatMap({ arms[$0] }) { disarm(arm, .denied, at: now, into: &effects) }
      endActivityIfChanged(by: record, at: now, into: &effects)
      save(record, at: now, into: &effects)

    case (.authorize, .once), (.authorizeAlways, .once):
      save(record, at: now, into: &effects)
      allowOnce(accuracy ?? record.accuracy, in: session, of: prompt.app, actedAt: act, at: now, into: &effects)

    case (.authorize, .whileUsing), (.authorizeAlways, .whileUsing):
      record.status = .whenInUse
      record.isProvisional = prompt.kind == .authorizeAlways  // A provisional "always" (B2)
      // The app asked for the authorization "always" and now sees it. The gateway asks the user later, when an event
      // needs it (row B5). Therefore no prompt for an upgrade may open (row B3).
      record.hasAskedUpgrade = record.hasAskedUpgrade || record.isProvisional
      record.accuracy = accuracy ?? record.accuracy
      giveStandingAuthorization(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.upgrade, .always):
      record.status = .always
      record.timeLimit = nil
      record.accuracy = accuracy ?? record.accuracy
      giveStandingAuthorization(to: record, in: session, actedAt: act, at: now, into: &effects)

    case (.always, .always):
      let starts = deferredStarts.filter { $0.app == prompt.app }
      let regions = deferredCrossings.filter { $0.app == prompt.app }
      deferredStarts.removeAll { $0.app == prompt.app }
      touched.insert(prompt.app)
      record.status = .always
      record.isProvisional = false
      record.accuracy = accuracy ?? record.accuracy
      endActivityIfChanged(by: record, at: now, into: &effects)
      save(record, at: now, into: &effects)
      deliverDeferred(starts, regions, at: now, into: &effects)

    case (.always, .keep), (.always, .no):
      refuseAlways(&record, at: now)
      record.accuracy = accuracy ?? record.accuracy
      endActivityIfChanged(by: record, at: now, into: &effects)
      save(record, at: now, into: &effects)

    case (.precise, .yes):
      save(record, at: now, into: &effects)
      allowPrecise(session, of: prompt.app, at: now, into: &effects)

    case (.upgrade, .keep), (.upgrade, .no):
      record.accuracy = accuracy ?? record.accuracy
      endActivityIfChanged(by: record, at: now, into: &effects)
      save(record, at: now, into: &effects)

    case (.precise, .keep), (.precise, .no):
      save(record, at: now, into: &effects)

    case (.confirm, .once), (.confirm, .whileUsing), (.confirm, .always), (.confirm, .keep), (.introduce, .once),
      (.introduce, .whileUsing), (.introduce, .always), (.introduce, .keep), (.authorize, .yes),
      (.authorize, .always), (.authorize, .keep), (.authorizeAlways, .yes), (.authorizeAlways, .always),
      (.authorizeAlways, .keep), (.upgrade, .yes), (.upgrade, .once), (.upgrade, .whileUsing), (.always, .yes),
      (.always, .once), (.always, .whileUsing), (.precise, .once), (.precise, .whileUsing), (.precise, .always):
      preconditionFailure("the prompt does not offer this answer")
    }
    if prompt.kind.isAskedByApp { announce(prompt.app, into: &effects) }
    endPausedRequest(of: prompt.app, at: now, into: &effects)
    if !isHold { promptForDeferredEvents(of: prompt.app, at: now) }
  }

  private func requestingSession(of prompt: Prompt) -> SessionID? {
    switch prompt.cause {
    case .session(let session): session
    case .press, .heldEvent: nil
    }
  }

  /// Ends the requests and updates of an app if `record` changes its authorization status or accuracy. If the app loses
  /// a permission, its undelivered fixes are erased first, and its grants (permissions for one fix) end, too
  /// (authorization reference, rows D1 and D5).
  private mutating func endActivityIfChanged(
    by record: AppRecord, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let old = self.record(of: record.app)
    guard record.status != old.status || record.accuracy != old.accuracy else { return }
    let lowers = record.givesLess(than: old)
    if lowers { effects.append(.eraseUndelivered(record.app)) }
    endActivity(of: record.app, lowers: lowers, at: now, into: &effects)
  }

  private mutating func giveStandingAuthorization(
    to record: AppRecord, in session: SessionID?, actedAt act: MonotonicInstant, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    endActivityIfChanged(by: record, at: now, into: &effects)
    save(record, at: now, into: &effects)
    if let session { recordUserAct(in: session, at: act) }
  }

  /// Permits fixes in one session of an app while the user uses the app, after the answer *allow once*. The permission
  /// exists only in memory (authorization reference, row B1).
  private mutating func allowOnce(
    _ accuracy: FixAccuracy, in session: SessionID?, of app: AppID, actedAt act: MonotonicInstant,
    at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // A change of status cancels the arm (D5)
    sessions[session]?.allowedOnce = accuracy
    lastChanged[app] = now
    recordUserAct(in: session, at: act)
  }

  /// Permits fixes with full accuracy in one session of an app while the user uses the app. The permission exists only
  /// in memory (authorization reference, row D3).
  private mutating func allowPrecise(
    _ session: SessionID?, of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let session, sessions[session] != nil else { return }
    disarm(app, .changed, at: now, into: &effects)  // A change of accuracy cancels the arm (D5)
    endUpdates(of: session, .changed, into: &effects)
    sessions[session]?.isPreciseOnce = true
    lastChanged[app] = now
    // A press alone never gives this answer, so the user acted now.
    recordUserAct(in: session, at: now)
  }

  /// Records that the user refused the authorization "always" of an app, which keeps "while using". The app is told
  /// "always" for at least one more day, so that the app does not learn the answer of the user (authorization
  /// reference, row B5).
  mutating func refuseAlways(_ record: inout AppRecord, at now: MonotonicInstant) {
    record.isProvisional = false
    record.seesAlwaysUntil = now + Bounds.alwaysSeen
    deferredCrossings.removeAll { $0.app == record.app }
  }
}
