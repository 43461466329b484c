import Authorization
import Clocks
import Languages
import LineProtocol

/// Creates the texts of prompts for owners and for displays.
extension Router {
  func promptJSON(
    _ prompt: Prompt, state: String, by source: DecisionSource? = nil, at now: MonotonicInstant
  ) -> String {
    let isOpen = state == "open"
    let policy = configuration.policy
    var object = JSONObject()
    object.add("prompt", prompt.id)
    object.add("app", prompt.app.name)
    object.add("kind", prompt.kind.rawValue)
    object.add("name", policy.name(of: prompt.app))
    object.add("text", "\(question(prompt)) \(ways(of: prompt, at: now).joined(separator: " "))")
    object.add("choices", prompt.kind.choices(showsText: true).map(\.rawValue).joined(separator: ","))
    if prompt.kind.offersAccuracy {
      object.add("accuracies", FixAccuracy.allCases.map(\.rawValue).joined(separator: ","))
    }
    object.add("says", purpose(of: prompt).map(quotable))
    object.add("state", state)
    if isOpen {
      switch authorization.nextPress(beside: prompt, at: now) {
      case .answers: object.add("press", "answers")
      case .serves(let app):
        object.add("press", "serves")
        object.add("press-app", policy.name(of: app))
      case .otherwise: object.add("press", "otherwise")
      }
    }
    object.add("by", source?.rawValue)
    object.add("age_ms", isOpen ? max(0, (now - prompt.shown).milliseconds) : nil)
    return object.text
  }

  /// Returns the open prompts for the owners. Each contains its JSON, and texts about the effects of a press and of a
  /// hold.
  func promptTexts(at now: MonotonicInstant) -> [Int: (ways: [String], json: String)] {
    Dictionary(
      uniqueKeysWithValues: authorization.prompts.map {
        ($0.id, (ways(of: $0, at: now), promptJSON($0, state: "open", at: now)))
      })
  }

  /// Returns the purpose that the app gave when it asked for the authorization or the fix. Returns nil if the app gave
  /// no purpose, or if the gateway itself caused the prompt.
  private func purpose(of prompt: Prompt) -> String? {
    switch prompt.cause {
    case .press(_, let request): sessions.session(of: request)?.request?.options.purpose
    case .session(let session): sessions[session]?.question?.purpose
    case .heldEvent: nil
    }
  }

  /// Replaces quotation marks in an app's text, so that the text cannot end the quotation in a prompt.
  func quotable(_ text: String) -> String {
    String(text.map { "\"“”„‟«»「」『』〝〞〟＂".contains($0) ? "'" : $0 })
  }

  /// Returns the question of a prompt in the configured language.
  func question(_ prompt: Prompt) -> String {
    let policy = configuration.policy
    return PromptPhrase(prompt.kind).text(in: policy.language, [.app: policy.name(of: prompt.app)])
  }

  /// Returns the texts about the effects of a press and of a hold while a prompt is open.
  func ways(of prompt: Prompt, at now: MonotonicInstant) -> [String] {
    let nextPress = authorization.nextPress(beside: prompt, at: now)
    let hold: AnswerPhrase =
      switch nextPress {
      case .answers: isSharing ? .holdAndStop : .hold
      case .serves, .otherwise: .stop
      }
    return [text(of: nextPress, for: prompt.kind), hold.text(in: configuration.policy.language)]
  }

  private func text(of nextPress: NextPress, for kind: Prompt.Kind) -> String {
    let policy = configuration.policy
    let phrase: AnswerPhrase
    switch nextPress {
    case .serves(let app): return AnswerPhrase.serves.text(in: policy.language, [.app: policy.name(of: app)])
    case .otherwise: phrase = .elsewhere
    case .answers:
      phrase =
        switch kind {
        case .confirm: .pressAgain
        case .introduce: .press
        case .authorize, .authorizeAlways: showsPrompts ? .onceOrTwice : .once
        case .upgrade: .unchanged
        case .always, .precise: .refused
        }
    }
    return phrase.text(in: policy.language)
  }

  /// Whether updates run or a fix is in flight. If so, a hold both answers the prompt with "no" and switches on the
  /// kill switch (D2).
  private var isSharing: Bool { !authorization.updates.isEmpty || !authorization.grants.isEmpty }
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
