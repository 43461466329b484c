import Clocks

// Prompts: one at a time, the rest in a queue.
extension Authorization {
  /// A1, A4: a press opens a prompt.
  mutating func open(
    _ kind: Prompt.Kind, for arm: Arm, _ press: Press, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let shown = max(now, press.up)
    // No longer than the grant would live that an owner's answer makes of this press.
    let deadline = min(shown + Bounds.promptLife, press.up + Bounds.grantLife)
    show(kind, for: arm.app, .press(press, arm.request), at: shown, until: deadline, into: &effects)
  }

  /// When a prompt that no press caused may open; nil where something else must happen first.
  var nextPromptDue: MonotonicInstant? {
    guard !queue.isEmpty, prompt == nil, !isLocked, arms.values.allSatisfy(\.isImplicit),
      grants.values.allSatisfy({ $0.press == nil })
    else { return nil }
    return lastEdge.map { $0 + Bounds.quiet } ?? MonotonicInstant(nanoseconds: .min)
  }

  mutating func openNextPrompt(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard let due = nextPromptDue, due <= now else { return }
    let next = queue.removeFirst()
    show(next.kind, for: next.app, next.cause, at: now, until: now + Bounds.promptLife, into: &effects)
  }

  private mutating func show(
    _ kind: Prompt.Kind, for app: AppID, _ cause: Prompt.Cause, at shown: MonotonicInstant,
    until deadline: MonotonicInstant, into effects: inout [Effect]
  ) {
    lastPromptID += 1
    let prompt = Prompt(id: lastPromptID, kind: kind, app: app, cause: cause, shown: shown, deadline: deadline)
    self.prompt = prompt
    effects.append(.show(prompt))
  }

  /// What an app's prompt asks, open or queued; nil where it has none.
  func promptKind(of app: AppID) -> Prompt.Kind? {
    if let prompt, prompt.app == app { return prompt.kind }
    return queue.first { $0.app == app }?.kind
  }

  func isPaused(_ app: AppID, at now: MonotonicInstant) -> Bool {
    record(of: app).promptPause.map { now < $0.until } ?? false
  }

  /// Nobody answered: nothing changes but that the app is disarmed, and may cause no prompt for a while. Only "always"
  /// is not kept for want of an answer (B5).
  mutating func leaveUnanswered(_ prompt: Prompt, at instant: MonotonicInstant, into effects: inout [Effect]) {
    close(prompt, .unanswered, byPress: false, at: instant, into: &effects)
    var record = record(of: prompt.app)
    let length = min(
      max((record.promptPause?.length ?? .zero) * 2, prompt.kind.firstPause), Bounds.longestPause)
    record.promptPause = PromptPause(until: instant + length, length: length)
    if prompt.kind == .always { refuseAlways(&record, at: instant) }
    save(record, at: instant, into: &effects)
    dropQueued(into: &effects) { $0.app == prompt.app }
    if prompt.kind.isAskedByApp { announce(prompt.app, into: &effects) }
    // The client of an implicit arm goes on watching: the pause keeps it from asking again.
    if let arm = prompt.arm.flatMap({ arms[$0] }), !arm.isImplicit {
      disarm(arm, .noPress, at: instant, into: &effects)
    }
  }

  mutating func close(
    _ prompt: Prompt, _ closing: PromptClosing, byPress: Bool, at instant: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    self.prompt = nil
    if !byPress { promptClosed = max(promptClosed ?? instant, instant) }
    effects.append(.close(prompt, closing))
  }

  /// Prompts that will not be shown; who asked for one is told how things stand. Region events that waited for one are
  /// dropped; starts end in their time as if no fix had come.
  mutating func dropQueued(into effects: inout [Effect], where isMeant: (QueuedPrompt) -> Bool) {
    for entry in queue where isMeant(entry) {
      if entry.kind.isAskedByApp { announce(entry.app, into: &effects) }
      if entry.kind == .always { heldRegions.removeAll { $0.app == entry.app } }
    }
    queue.removeAll(where: isMeant)
  }

  /// What an app caused in a session goes with it.
  mutating func withdrawPrompts(
    askedIn session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    let cause = Prompt.Cause.session(session)
    guard prompt?.cause == cause || queue.contains(where: { $0.cause == cause }) else { return }
    queue.removeAll { $0.cause == cause }
    if let prompt, prompt.cause == cause { close(prompt, .withdrawn, byPress: false, at: now, into: &effects) }
    if let app = sessions[session]?.app { askForHeldStarts(of: app, at: now) }
  }

  /// D5: what an app caused goes with the status or accuracy under which it did.
  mutating func withdrawPrompts(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    queue.removeAll { $0.app == app }
    if let prompt, prompt.app == app { close(prompt, .withdrawn, byPress: false, at: now, into: &effects) }
  }
}
