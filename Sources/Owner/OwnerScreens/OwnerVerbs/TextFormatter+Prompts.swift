import Base
import LineProtocol

// Formats prompts and the results of prompts.
extension TextFormatter {
  func prompts(_ prompts: [PromptMessage]) -> [String] {
    prompts.isEmpty ? wrapped(NotificationPhrase.nothingAsked) : prompts.flatMap { prompt($0) }
  }

  private func prompt(_ prompt: PromptMessage) -> [String] {
    let choices = list(offered(prompt).map { "\($0.rawValue) (\(answerText($0.rawValue, to: prompt.kind)))" })
    let lines = Columns.wrapped("#\(prompt.prompt)  \(question(prompt))", to: columns, indent: 2)
    let accuracies = prompt.accuracies.map { words in
      list(words.split(separator: ",").map { "\($0) (\(accuracy(String($0))))" })
    }
    return lines + (says(prompt.says, prompt.title) ?? []) + inset(NotificationPhrase.answerWith, [.value: choices])
      + (accuracies.map { inset(NotificationPhrase.answerWithAccuracy, [.value: $0]) } ?? [])
      + (press(prompt).map { Columns.wrapped($0, to: columns - 2, indent: 2).map { "  " + $0 } } ?? [])
  }

  /// Returns a text about the effect of the next press of the button while the prompt (a question to the user) is open;
  /// nil if unknown. The text names the buttons if the effect does not hold for all of them.
  func press(_ prompt: PromptMessage) -> String? {
    let effect = effect(prompt)
    guard let effect, let buttons = prompt.pressButtons else { return effect }
    return "\(text(AnswerPhrase.ofButton, [.value: list(buttons.split(separator: ",").map(String.init))])) \(effect)"
  }

  private func effect(_ prompt: PromptMessage) -> String? {
    switch prompt.press {
    case "answers": text(AnswerPhrase.answers)
    case "serves": text(AnswerPhrase.serves, [.app: prompt.pressApp ?? ""])
    case "otherwise": text(prompt.pressReason.flatMap { Self.reasons[$0] } ?? AnswerPhrase.elsewhere)
    default: nil
    }
  }

  private static let reasons: [String: AnswerPhrase] = [
    "another-button": .anotherButton, "another-question": .anotherQuestion, "after-fix": .afterFix,
    "time-over": .timeOver, "another-app": .anotherApp,
  ]

  func question(_ prompt: PromptMessage) -> String {
    // Prompts of the kinds `authorize` and `authorize-always` offer the same choices, so their question is the same.
    let kind = prompt.kind == "authorize-always" ? "authorize" : prompt.kind
    guard let phrase = PromptPhrase.allCases.first(where: { "\($0)" == kind }) else { return prompt.text }
    return text(phrase, [.app: prompt.title])
  }

  /// Returns the answers of which an owner can select one. *No* is not among them beside *keep*, because both have the
  /// same effect.
  func offered(_ prompt: PromptMessage) -> [PromptChoice] {
    let choices = prompt.choices.split(separator: ",").compactMap { PromptChoice(rawValue: String($0)) }
    return choices.contains(.keep) ? choices.filter { $0 != .no } : choices
  }

  /// Returns the text of an answer. *No* to a question about more than the present right leaves the present right.
  /// - Parameters:
  ///   - word: The answer. A word that is no answer is returned as it is.
  ///   - kind: The kind of the prompt (question to the user).
  func answerText(_ word: String, to kind: String?) -> String {
    let leaves = word == PromptChoice.no.rawValue && ["upgrade", "always", "precise"].contains(kind)
    return leaves ? text(ChoicePhrase.keep) : ChoicePhrase(rawValue: word).map { text($0) } ?? word
  }

  private func says(_ saying: String?, _ title: String) -> [String]? {
    saying.map { inset(NotificationPhrase.says, [.app: title, .text: $0]) }
  }

  private func inset(_ phrase: NotificationPhrase, _ values: [Placeholder: String]) -> [String] {
    Columns.wrapped(text(phrase, values), to: columns - 2, indent: 2).map { "  " + $0 }
  }

  func answered(_ prompt: PromptMessage?, _ choice: PromptChoice, _ accuracy: FixAccuracy?) -> [String] {
    let words = [answerText(choice.rawValue, to: prompt?.kind)] + (accuracy.map { [self.accuracy($0.rawValue)] } ?? [])
    guard let prompt else { return Columns.wrapped(list(words), to: columns, indent: 2) }
    return wrapped(NotificationPhrase.answered, [.app: prompt.title, .value: list(words)])
  }

  func notification(_ prompt: PromptMessage) -> [String] {
    let phrase: NotificationPhrase
    switch (prompt.state, prompt.by) {
    case ("open", _): return self.prompt(prompt)
    case ("yes", "owner"): phrase = .yesByOwner
    case ("no", "owner"): phrase = .noByOwner
    case ("yes", _): phrase = .yesAtButton
    case ("no", _): phrase = .noAtButton
    case ("unanswered", _): phrase = .unanswered
    case ("locked", _): phrase = .locked
    default: phrase = .withdrawn
    }
    return wrapped(phrase, [.app: prompt.title])
  }

  func notification(_ notification: NotificationMessage) -> [String] {
    let title = notification.name ?? notification.app
    if notification.event == NotificationMessage.rightEnded {
      let shown = notification.shown ?? ""
      let status = StatusPhrase(rawValue: shown).map { text($0) } ?? shown
      return wrapped(NotificationPhrase.rightEnded, [.app: title, .value: status])
    }
    let phrase: NotificationPhrase = notification.event == "enter" ? .entered : .left
    return wrapped(phrase, [.app: title, .region: notification.region ?? ""]) + (says(notification.says, title) ?? [])
  }
}
