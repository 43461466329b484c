import Clocks

extension Authorization {
  mutating func open(
    _ kind: Prompt.Kind, for arm: Arm, _ press: Press, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    lastPromptID += 1
    let shown = max(now, press.up)
    // No longer than the grant would live that an owner's answer makes of this press.
    let deadline = min(shown + Bounds.promptLife, press.up + Bounds.grantLife)
    let prompt = Prompt(
      id: lastPromptID, kind: kind, app: arm.app, press: press, shown: shown, deadline: deadline)
    self.prompt = prompt
    effects.append(.show(prompt))
  }

  /// The person answered, by a press of the button (`press`) or by an owner's word.
  mutating func answer(
    _ prompt: Prompt, yes: Bool, by press: Press?, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let arm = arms[prompt.app] else { return }
    close(prompt, yes ? .yes : .no, byPress: press != nil, at: now, into: &effects)
    var record = record(of: prompt.app)
    record.promptPause = nil
    switch (prompt.kind, yes) {
    case (.confirm, true), (.introduce, true):
      record.status = .notDetermined
      record.isButtonConfirmed = true
      // It counts as the press: the one that answered, or else the one that opened the prompt.
      grant(arm, to: record, press ?? prompt.press, into: &effects)
    case (.confirm, false), (.introduce, false):
      record.status = .denied
      save(record, into: &effects)
      disarm(arm, .denied, at: now, into: &effects)
    }
  }

  /// Nobody answered: nothing changes but that the app is disarmed, and may cause no prompt for a while.
  mutating func leaveUnanswered(_ prompt: Prompt, at instant: MonotonicInstant, into effects: inout [Effect]) {
    close(prompt, .unanswered, byPress: false, at: instant, into: &effects)
    var record = record(of: prompt.app)
    let length = min((record.promptPause?.length ?? Bounds.firstPause / 2) * 2, Bounds.longestPause)
    record.promptPause = PromptPause(until: instant + length, length: length)
    save(record, into: &effects)
    if let arm = arms[prompt.app] { disarm(arm, .noPress, at: instant, into: &effects) }
  }

  mutating func close(
    _ prompt: Prompt, _ closing: PromptClosing, byPress: Bool, at instant: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    self.prompt = nil
    if !byPress { promptClosed = instant }
    effects.append(.close(prompt, closing))
  }

  mutating func save(_ record: AppRecord, into effects: inout [Effect]) {
    let visible = visibleStatus(of: record.app)
    records[record.app] = record
    effects.append(.save(record))
    if visibleStatus(of: record.app) != visible { effects.append(.announce(record.app)) }
  }

  /// D2: a hold answers an open prompt with no. It is the kill switch where something is in flight, where no prompt
  /// was open, or where it goes on for as long again. Only a hold unlocks, and none that began before the lock: two
  /// buttons held at once, or a hold while an owner locks, were all meant to lock.
  mutating func take(_ hold: Hold, at now: MonotonicInstant, into effects: inout [Effect]) {
    let answered = answeringHold
    answeringHold = nil
    if hold.multiple > 1 {
      if answered?.button == hold.button, answered?.down == hold.down { lock(at: now, into: &effects) }
    } else if isLocked {
      if lockThrown.map({ hold.down >= $0 }) ?? true { unlock(into: &effects) }
    } else if let prompt {
      answer(prompt, yes: false, by: nil, at: now, into: &effects)
      if grants.isEmpty { answeringHold = hold } else { lock(at: now, into: &effects) }
    } else {
      lock(at: now, into: &effects)
    }
  }
}
