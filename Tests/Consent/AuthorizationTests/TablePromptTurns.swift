import Authorization

// What the table says of when questions are shown, answered by the button, and closed.
extension TableModel {
  // MARK: At the button

  /// When the button has answered its question for 10 s.
  var turnEnd: Int64 {
    guard let atButton, let question = open.first(where: { $0.number == atButton.number }), question.press == nil,
      question.first == nil
    else { return .max }
    return atButton.since + 10 * Self.second
  }

  mutating func endTurn(_ now: Int64) {
    for index in open.indices where open[index].number == atButton!.number {
      open[index].hadTurn = true
      see(index, areSurfacesOpen, now)
    }
    leaveButton(now)
  }

  private mutating func leaveButton(_ now: Int64) {
    atButton = nil
    buttonLeft = max(buttonLeft, now)
  }

  private mutating func see(_ index: Int, _ isSeen: Bool, _ now: Int64) {
    if let since = open[index].seenSince { open[index].seen += max(0, now - since) }
    open[index].seenSince = isSeen ? now : nil
    if isSeen { open[index].wasShown = true }
  }

  /// Displays show every question at once; the button answers one where nothing else can be meant by a press.
  mutating func showNext(_ now: Int64) {
    for index in open.indices where !open[index].isTold {
      open[index].isTold = true
      let question = open[index]
      out.append(.shown(app: question.app, question.kind, at: question.shown, until: question.until))
    }
    var next: Int?
    if let pressed = open.first(where: { $0.press != nil }) {
      next = pressed.number
    } else if !isLocked, !apps.contains(where: { $0.arms.contains { !$0.isImplicit } }),
      !things.contains(where: { $0.kind == .pressFix })
    {
      if let mine = open.first(where: { $0.number == atButton?.number && !$0.hadTurn }) {
        next = mine.number
      } else if now - lastEdge >= 2 * Self.second, now - pressFixEnded >= 2 * Self.second {
        next = open.first { !$0.hadTurn }?.number
      }
    }
    if next != atButton?.number {
      if atButton != nil { leaveButton(now) }
      atButton = next.map { ($0, now) }
    }
    for index in open.indices {
      let isSeen = areSurfacesOpen || open[index].number == atButton?.number
      if isSeen != (open[index].seenSince != nil) { see(index, isSeen, now) }
    }
  }

  // MARK: Questions end

  mutating func withdrawAsked(by number: UInt64, _ now: Int64) {
    guard asking.contains(where: { $0.client == number }), let index = client(number) else { return }
    asking.removeAll { $0.client == number }
    for question in open where question.client == number {
      close(question, .withdrawn, byPress: false, now)
      pause(question, now)
    }
    askForSeeming(clients[index].app, now)
  }

  mutating func forgetAsking(_ app: Int) {
    if asking.contains(where: { $0.app == app }) { announce(app) }
    asking.removeAll { $0.app == app }
  }

  mutating func forgetIdleQuestion(_ app: Int, _ now: Int64) {
    if regions.contains(where: { $0.app == app }) || things.contains(where: { $0.app == app && $0.isSeeming }) {
      return
    }
    for question in open where question.app == app && question.kind == .always {
      close(question, .withdrawn, byPress: false, now)
      pause(question, now)
    }
  }

  /// D2, and a pause: nobody is asked any more, and no app can tell.
  mutating func forgetQuestions(_ now: Int64, _ isMeant: (Question) -> Bool) {
    for question in open where isMeant(question) {
      close(question, .withdrawn, byPress: false, now)
      if question.kind == .always { regions.removeAll { $0.app == question.app } }
    }
  }

  mutating func close(_ question: Question, _ how: PromptClosing, byPress: Bool, _ time: Int64) {
    guard let index = open.firstIndex(where: { $0.number == question.number }) else { return }
    if open[index].isTold { out.append(.closed(app: question.app, how)) }
    open.remove(at: index)
    guard atButton?.number == question.number else { return }
    if byPress { atButton = nil } else { leaveButton(time) }
  }

  /// A question that its app took back after it was seen counts as one that nobody answered.
  mutating func pause(_ question: Question, _ now: Int64) {
    if question.wasShown || question.press != nil {
      keep(question.app, now) { Self.lengthen(&$0, after: question, now) }
    }
  }

  static func lengthen(_ kept: inout Kept, after question: Question, _ now: Int64) {
    kept.pauseLength = min(
      max(question.press == nil ? hour : 10 * Self.minute, (kept.pauseLength ?? 0) * 2), day)
    kept.pauseUntil = now + kept.pauseLength!
  }
}
