import Authorization
import Base
import Hardware
import LineProtocol

extension Router {
  /// Returns a prompt (a question to the user) as a JSON message for owners (administrators).
  /// - Parameters:
  ///   - state: `open`, or the reason why the prompt was closed.
  ///   - source: The way in which a person closed the prompt; nil if no person closed the prompt.
  func promptJSON(
    _ prompt: Prompt, state: String, by source: DecisionSource? = nil, at now: MonotonicInstant
  ) -> String {
    let isOpen = state == "open"
    let policy = configuration.policy
    let accuracies = FixAccuracy.allCases.map(\.rawValue).joined(separator: ",")
    return PromptMessage.json {
      $0.prompt = prompt.id
      $0.app = prompt.app.name
      $0.kind = prompt.kind.rawValue
      $0.name = policy.name(of: prompt.app)
      $0.text = "\(question(prompt)) \(ways(of: prompt, at: now).joined(separator: " "))"
      $0.choices = prompt.kind.choices(showsText: true).map(\.rawValue).joined(separator: ",")
      $0.accuracies = prompt.kind.offersAccuracy ? accuracies : nil
      $0.says = purpose(of: prompt).map(Quotation.contents)
      $0.state = state
      let nextPress = isOpen ? nextPress(beside: prompt) : nil
      $0.pressButtons = nextPress.flatMap { buttons(of: $0, prompt) }?.joined(separator: ",")
      switch nextPress {
      case .answers: $0.press = "answers"
      case .serves(let app): ($0.press, $0.pressApp) = ("serves", policy.name(of: app))
      case .otherwise(let reason): ($0.press, $0.pressReason) = ("otherwise", reason?.rawValue)
      case nil: break
      }
      $0.by = source?.rawValue
      $0.age = isOpen ? Int(max(0, (now - prompt.shown).milliseconds)) : nil
      $0.left = isOpen ? Int(max(0, (authorization.answerDeadline(of: prompt) - now).milliseconds)) : nil
    }
  }

  /// Returns the open prompts (questions to the user), by identifier. Each value has the JSON message for owners
  /// (administrators), and two texts about the effects of a press and of a hold of the button.
  func promptTexts(at now: MonotonicInstant) -> [Int: (ways: [String], json: String)] {
    Dictionary(
      uniqueKeysWithValues: authorization.prompts.map {
        ($0.id, (ways(of: $0, at: now), promptJSON($0, state: "open", at: now)))
      })
  }

  /// Returns the purpose that the app gave for its request. Nil if the app gave no purpose, or if the prompt (the
  /// question to the user) is about a region event that waits for the answer.
  func purpose(of prompt: Prompt) -> String? {
    switch prompt.cause {
    case .press(_, let request): sessions.session(of: request)?.request?.options.purpose
    case .session(let session): sessions[session]?.question?.purpose
    case .heldEvent: nil
    }
  }

  /// Returns the question of a prompt as text, in the language of the gateway.
  func question(_ prompt: Prompt) -> String {
    let policy = configuration.policy
    return PromptPhrase(prompt.kind).text(in: policy.language, [.app: policy.name(of: prompt.app)])
  }

  /// Returns two texts about an open prompt (a question to the user): the present effect of a press of the button, and
  /// the present effect of a hold (long press).
  func ways(of prompt: Prompt, at now: MonotonicInstant) -> [String] {
    let nextPress = nextPress(beside: prompt)
    let hold: AnswerPhrase =
      switch nextPress {
      case .answers: isSharing ? .holdAndStop : .hold
      case .serves, .otherwise: .stop
      }
    let language = configuration.policy.language
    var press = text(of: nextPress, for: prompt.kind, at: now)
    if let buttons = buttons(of: nextPress, prompt) {
      press = "\(AnswerPhrase.ofButton.text(in: language, [.value: language.list(buttons)])) \(press)"
    }
    return [press, hold.text(in: language)]
  }

  /// Returns the names of the buttons whose next press has an effect; nil if it is each button.
  private func buttons(of nextPress: NextPress, _ prompt: Prompt) -> [String]? {
    let buttons = dependencies.buttons.map(\.profile.name)
    let own =
      switch nextPress {
      case .answers: buttons.filter { authorization.isButton($0, for: prompt) }
      case .serves(let app): buttons.filter { authorization.isMarked(app, by: $0) }
      case .otherwise: buttons
      }
    return own == buttons ? nil : own
  }

  private func nextPress(beside prompt: Prompt) -> NextPress {
    authorization.nextPress(beside: prompt, of: dependencies.buttons.map(\.profile.name))
  }

  /// Returns whether a display near the button shows the texts of prompts (questions to the user).
  ///
  /// The result is already true during the first pages of a long text. The text then mentions the double press,
  /// although a press counts only after the last page.
  private func showsPrompts(at now: MonotonicInstant) -> Bool {
    configuration.showsPrompts || owners.hasDisplay(at: now)
  }

  private func text(of nextPress: NextPress, for kind: Prompt.Kind, at now: MonotonicInstant) -> String {
    let policy = configuration.policy
    let phrase: AnswerPhrase
    switch nextPress {
    case .serves(let app): return AnswerPhrase.serves.text(in: policy.language, [.app: policy.name(of: app)])
    case .otherwise(let reason): phrase = AnswerPhrase(reason)
    case .answers:
      phrase =
        switch kind {
        case .confirm: .pressAgain
        case .introduce: .press
        case .authorize, .authorizeAlways: showsPrompts(at: now) ? .onceOrTwice : .once
        case .upgrade: .unchanged
        case .always, .precise: .refused
        }
    }
    return phrase.text(in: policy.language)
  }

  /// Whether at least one app gets updates (repeated fixes) or waits for a granted fix. If true, a hold (long press)
  /// answers the prompt with "no", and also switches on the kill switch (row D2 of the authorization reference).
  private var isSharing: Bool { !authorization.updates.isEmpty || !authorization.grants.isEmpty }
}

extension AnswerPhrase {
  fileprivate init(_ reason: NextPress.Reason?) {
    self =
      switch reason {
      case .anotherButton: .anotherButton
      case .anotherQuestion: .anotherQuestion
      case .afterFix: .afterFix
      case .timeOver: .timeOver
      case .anotherApp: .anotherApp
      case nil: .elsewhere
      }
  }
}

extension PromptPhrase {
  fileprivate init(_ kind: Prompt.Kind) {
    self =
      switch kind {
      case .confirm: .confirm
      case .introduce: .introduce
      case .authorize, .authorizeAlways: .authorize
      case .upgrade: .upgrade
      case .always: .always
      case .precise: .precise
      }
  }
}
