import Authorization

// The rows about showing prompts, answering them with the button, and closing them.
extension TableModel {
  // MARK: At the button

  /// The instant at which the button has answered its prompt for 10 s.
  var turnEnd: Int64 {
    guard let atButton, let since = atButton.since,
      let prompt = open.first(where: { $0.number == atButton.number }), prompt.first == nil
    else { return .max }
    return since + 10 * Self.second
  }

  mutating func endTurn(_ now: Int64) {
    if let prompt = open.first(where: { $0.number == atButton!.number }), prompt.press != nil {
      return unanswered(prompt, now)
    }
    for index in open.indices where open[index].number == atButton!.number {
      open[index].hadTurn = true
      see(index, areSurfacesOpen, now)
    }
    atButton = nil
  }

  private mutating func see(_ index: Int, _ isSeen: Bool, _ now: Int64) {
    if let since = open[index].seenSince { open[index].seen += max(0, now - since) }
    open[index].seenSince = isSeen ? now : nil
    if isSeen { open[index].wasShown = true }
  }

  /// Shows all prompts on displays. The button answers one if a press cannot have another meaning.
  mutating func showNext(_ now: Int64) {
    for index in open.indices where !open[index].isListed {
      open[index].isListed = true
      let prompt = open[index]
      out.append(.shown(app: prompt.app, prompt.kind, at: prompt.shown, until: prompt.until))
    }
    var next: Int?
    if let pressed = open.first(where: { $0.press != nil }) {
      next = pressed.number
    } else if !isLocked, !isExplicitWaiting, !activities.contains(where: { $0.kind == .pressFix }) {
      if let mine = open.first(where: { $0.number == atButton?.number && !$0.hadTurn }) {
        next = mine.number
      } else if now >= usedUntil, now - lastEdge >= 2 * Self.second, now - pressFixEnded >= 2 * Self.second {
        next = open.first { !$0.hadTurn && isServed($0.app) }?.number
      }
    }
    if next != atButton?.number { atButton = next.map { ($0, now) } }
    // The light shows a use instead of the prompt. After the use, the turn starts again.
    if now < usedUntil { atButton?.since = nil } else if atButton?.since == nil { atButton?.since = now }
    for index in open.indices {
      let isAtButton = atButton.map { $0.number == open[index].number && $0.since != nil } ?? false
      let isSeen = areSurfacesOpen || isAtButton
      if isSeen != (open[index].seenSince != nil) { see(index, isSeen, now) }
    }
  }

  /// Whether one of the buttons serves an app.
  private func isServed(_ app: Int) -> Bool { buttons.contains { $0?.contains(app) != false } }

  /// Whether an explicit request waits that a press of some button could serve.
  private var isExplicitWaiting: Bool {
    apps.indices.contains { app in
      isServed(app) && !apps[app].isRestricted && apps[app].arms.contains { !$0.isImplicit }
    }
  }

  // MARK: Displays

  /// Whether an app waits only for the fixes of its outputs.
  func isForEachPress(_ app: Int) -> Bool { !apps[app].arms.isEmpty && apps[app].arms.allSatisfy(\.isForOutput) }

  /// The number of the prompt that the next press of a button answers.
  func markedPrompt(of button: Int) -> Int? {
    open.first { $0.number == atButton?.number && isButton(button, of: $0) }?.number
  }

  /// The last instant at which a user can answer an open prompt, as displays show it.
  func answerDeadline(of number: Int) -> Int64? {
    guard let prompt = open.first(where: { $0.number == number }) else { return nil }
    return atButton?.number == number ? min(turnEnd, prompt.until) : prompt.until
  }

  /// The effect of the next press of some buttons, for a display that shows an open prompt.
  func nextPress(beside number: Int, of buttons: [Int]) -> NextPress? {
    guard let prompt = open.first(where: { $0.number == number }) else { return nil }
    let own = buttons.filter { isButton($0, of: prompt) }
    if own.isEmpty { return .otherwise(.anotherButton) }
    if let atButton, atButton.number == number { return atButton.since == nil ? .otherwise(.afterFix) : .answers }
    let isFixInFlight = activities.contains { $0.kind == .pressFix }
    if atButton == nil, !isFixInFlight {
      let waiting = apps.indices.flatMap { app in apps[app].arms.map { (app: app, arm: $0) } }
      let marked = waiting.filter { waits in
        own.contains { marks[$0].last?.targets.contains(.request(waits.arm.request)) == true }
      }
      // The app that was served least recently, then the request that was accepted first.
      let next = marked.min { rankOfTurn($0) < rankOfTurn($1) }
      if let next { return .serves(names[next.app]) }
      if isExplicitWaiting { return .otherwise(.anotherApp) }
      if number == open.first(where: { !$0.hadTurn && isServed($0.app) })?.number { return .answers }
    }
    if prompt.hadTurn { return .otherwise(.timeOver) }
    return .otherwise(atButton == nil && isFixInFlight ? .afterFix : .anotherQuestion)
  }

  // MARK: Ends of prompts

  mutating func withdrawAsked(by number: UInt64, _ now: Int64) {
    guard asking.contains(where: { $0.client == number }), let index = client(number) else { return }
    asking.removeAll { $0.client == number }
    for prompt in open where prompt.client == number {
      close(prompt, .withdrawn)
      pause(prompt, now)
    }
    promptForDeferred(clients[index].app, now)
  }

  mutating func forgetAsking(_ app: Int) {
    if asking.contains(where: { $0.app == app }) { announce(app) }
    asking.removeAll { $0.app == app }
  }

  mutating func closeUnneededPrompt(_ app: Int, _ now: Int64) {
    if regions.contains(where: { $0.app == app }) || activities.contains(where: { $0.app == app && $0.isApparent }) {
      return
    }
    for prompt in open where prompt.app == app && prompt.kind == .always {
      close(prompt, .withdrawn)
      pause(prompt, now)
    }
  }

  /// Closes prompts that are no longer needed, because of a hold (D2) or a pause. No app can see it.
  mutating func closePrompts(_ now: Int64, _ isIncluded: (ModelPrompt) -> Bool) {
    for prompt in open where isIncluded(prompt) {
      close(prompt, .withdrawn)
      if prompt.kind == .always { regions.removeAll { $0.app == prompt.app } }
    }
  }

  mutating func close(_ prompt: ModelPrompt, _ how: PromptClosing) {
    guard let index = open.firstIndex(where: { $0.number == prompt.number }) else { return }
    if open[index].isListed { out.append(.closed(app: prompt.app, how)) }
    open.remove(at: index)
    if atButton?.number == prompt.number { atButton = nil }
  }

  /// Begins a pause after an app withdrew a prompt that was shown. It counts as unanswered. A prompt for "always" begins no
  /// pause, and does not open again.
  mutating func pause(_ prompt: ModelPrompt, _ now: Int64) {
    guard prompt.wasShown else { return }
    keep(prompt.app, now) { kept in
      if prompt.kind == .always {
        kept.refuseAlways(now)
      } else {
        Self.lengthen(&kept, after: prompt, now)
      }
    }
    if prompt.kind != .always { apps[prompt.app].seen = 0 }
    endPaused(prompt.app, now)
  }

  /// Ends an explicit arm that no press can serve, because the app may ask nothing. An arm with an open prompt stays.
  mutating func endPaused(_ app: Int, _ now: Int64) {
    guard apps[app].kindOfPrompt != nil, let until = apps[app].kept.pauseUntil, now < until else { return }
    let asked = open.compactMap(\.arm)
    disarm(app, .noPress, now) { !$0.isImplicit && !asked.contains($0) }
  }

  static func lengthen(_ kept: inout ModelRecord, after prompt: ModelPrompt, _ now: Int64) {
    kept.pauseLength = min(max(prompt.press == nil ? hour : 10 * Self.minute, (kept.pauseLength ?? 0) * 2), day)
    kept.pauseUntil = now + kept.pauseLength!
  }
}
