import Authorization
import Base
import Hardware
import LineProtocol

extension Router {
  /// Returns a prompt (a question to the person at the button) as JSON for owners.
  /// - Parameters:
  ///   - state: `open`, or the reason why the prompt was closed.
  ///   - source: How a person closed the prompt; nil if no person closed it.
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
      switch isOpen ? nextPress(beside: prompt) : nil {
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

  /// Returns the open prompts (questions to the user), by identifier: the JSON for owners, and the texts about the
  /// effects of a press and of a hold of the button.
  func promptTexts(at now: MonotonicInstant) -> [Int: (ways: [String], json: String)] {
    Dictionary(
      uniqueKeysWithValues: authorization.prompts.map {
        ($0.id, (ways(of: $0, at: now), promptJSON($0, state: "open", at: now)))
      })
  }

  /// Returns the purpose that the app gave for its request. Nil if the app gave none, or if the prompt (the question to
  /// the user) is about an event that the gateway keeps back.
  func purpose(of prompt: Prompt) -> String? {
    switch prompt.cause {
    case .press(_, let request): sessions.session(of: request)?.request?.options.purpose
    case .session(let session): sessions[session]?.question?.purpose
    case .heldEvent: nil
    }
  }

  /// Returns the text of the question, in the language of the gateway.
  func question(_ prompt: Prompt) -> String {
    let policy = configuration.policy
    return PromptPhrase(prompt.kind).text(in: policy.language, [.app: policy.name(of: prompt.app)])
  }

  /// Returns two texts about an open prompt (a question to the user): the present effect of a press of the button, and
  /// the present effect of a hold.
  func ways(of prompt: Prompt, at now: MonotonicInstant) -> [String] {
    let nextPress = nextPress(beside: prompt)
    let hold: AnswerPhrase =
      switch nextPress {
      case .answers: isSharing ? .holdAndStop : .hold
      case .serves, .otherwise: .stop
      }
    return [text(of: nextPress, for: prompt.kind, at: now), hold.text(in: configuration.policy.language)]
  }

  private func nextPress(beside prompt: Prompt) -> NextPress {
    authorization.nextPress(beside: prompt, of: dependencies.buttons.map(\.profile.name))
  }

  /// Returns whether a display at the button shows the texts of prompts (questions to the user).
  ///
  /// A display on a bus shows a long text page by page. The first page already mentions the double press, although a
  /// press counts only after the last page.
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

  /// Whether an app gets updates (repeated fixes) or waits for the fix that a press of the button gave. A hold then
  /// switches on the kill switch, after it has answered the prompt with "no" (row D2 of the authorization reference).
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
