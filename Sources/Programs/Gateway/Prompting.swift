import Authorization
import Clocks
import Languages
import LineProtocol
import Logging
import OperatingSystem

/// Who decided something.
enum Decider: String, Hashable, Sendable {
  case button
  case owner

  /// Nil where the event is nobody's act.
  init?(_ event: Event) {
    switch event {
    case .pressed, .held: self = .button
    case .answered, .ordered, .lockOrdered: self = .owner
    case .sessionOpened, .sessionLost, .sessionResumed, .sessionEnded, .stateChanged, .requested, .cancelled, .started,
      .stopped, .asked, .regionCrossed, .edge, .served, .failed, .legibilityChecked, .surfacesChanged, .timePassed:
      return nil
    }
  }
}

/// Questions to the person, and how owners hear of them.
extension Gateway {
  func show(_ prompt: Prompt) {
    lastPressOutcome = .prompt
    tellOwners(.ownerPrompt, promptJSON(prompt, state: "open"))
    counts.prompts[prompt.kind.rawValue, default: 0] += 1
    loggers.gateway.info("prompt shown", metadata: ["app": "\(prompt.app)", "kind": "\(prompt.kind.rawValue)"])
  }

  func close(_ prompt: Prompt, _ closing: PromptClosing) {
    // A grant that follows says more.
    if closing == .yes || closing == .no { lastPressOutcome = .answered }
    tellOwners(.ownerPrompt, promptJSON(prompt, state: "\(closing)", by: decider(of: closing)))
    loggers.gateway.info("prompt closed", metadata: ["app": "\(prompt.app)", "closing": "\(closing)"])
  }

  /// Who closed a prompt; nil where nobody did.
  private func decider(of closing: PromptClosing) -> Decider? {
    switch closing {
    // A press that waited in vain for a second one answers when its time has come.
    case .yes, .no: decider ?? .button
    case .withdrawn, .locked: decider
    case .unanswered: nil
    }
  }

  func promptJSON(_ prompt: Prompt, state: String, by decider: Decider? = nil) -> String {
    let isOpen = state == "open"
    var object = JSONObject()
    object.add("prompt", prompt.id)
    object.add("app", prompt.app.name)
    object.add("kind", prompt.kind.rawValue)
    object.add("name", name(of: prompt.app))
    object.add("text", "\(question(prompt.kind, of: prompt.app)) \(ways(of: prompt).joined(separator: " "))")
    object.add("choices", prompt.kind.choices(showsText: true).map(\.rawValue).joined(separator: ","))
    if prompt.kind.offersAccuracy {
      object.add("accuracies", FixAccuracy.allCases.map(\.rawValue).joined(separator: ","))
    }
    object.add("says", saying(of: prompt.cause, prompt.app))
    object.add("state", state)
    if isOpen {
      switch authorization.nextPress(beside: prompt, at: SystemClock.monotonic) {
      case .answers: object.add("press", "answers")
      case .serves(let app):
        object.add("press", "serves")
        object.add("press-app", name(of: app))
      case .otherwise: object.add("press", "otherwise")
      }
    }
    object.add("by", decider?.rawValue)
    object.add("age_ms", isOpen ? max(0, (SystemClock.monotonic - prompt.shown).milliseconds) : nil)
    return object.text
  }

  /// What the app that asks says of itself; nil where it says nothing, or where the gateway asks.
  private func saying(of cause: Prompt.Cause, _ app: AppID) -> String? {
    switch cause {
    case .press(_, let request): requesters[request].flatMap { sessions[$0]?.request?.options.purpose }.map(quotable)
    case .session(let session): sessions[session]?.question?.purpose.map(quotable)
    case .heldEvent: nil
    }
  }

  /// What an app says, so that it cannot end the quotation marks in which people read it.
  func quotable(_ text: String) -> String {
    String(text.map { "\"“”„‟«»「」『』〝〞〟＂".contains($0) ? "'" : $0 })
  }

  /// How an app is called to people.
  func name(of app: AppID) -> String { policy.appNames[app] ?? app.name }

  /// What the person is asked.
  func question(_ kind: Prompt.Kind, of app: AppID) -> String {
    PromptPhrase(kind).text(in: policy.language, [.app: name(of: app)])
  }

  /// What a press, and what a hold, does while a prompt is open.
  func ways(of prompt: Prompt) -> [String] {
    let nextPress = authorization.nextPress(beside: prompt, at: SystemClock.monotonic)
    let hold: AnswerPhrase =
      switch nextPress {
      case .answers: isSharing ? .holdAndStop : .hold
      case .serves, .otherwise: .stop
      }
    return [text(of: nextPress, for: prompt.kind), hold.text(in: policy.language)]
  }

  private func text(of nextPress: NextPress, for kind: Prompt.Kind) -> String {
    let phrase: AnswerPhrase
    switch nextPress {
    case .serves(let app): return AnswerPhrase.serves.text(in: policy.language, [.app: name(of: app)])
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

  /// Whether a hold that answers no is the kill switch as well: updates run, or a fix is in flight. (D2)
  private var isSharing: Bool { !authorization.updates.isEmpty || !authorization.grants.isEmpty }

  /// Tells owners again of prompts for which a press, or a hold, means something else than before.
  func tendPrompts() {
    let present = Dictionary(uniqueKeysWithValues: authorization.prompts.map { ($0.id, ways(of: $0)) })
    let former = toldWays
    toldWays = present
    for prompt in authorization.prompts where former[prompt.id].map({ $0 != present[prompt.id] }) ?? false {
      tellOwners(.ownerPrompt, promptJSON(prompt, state: "open"))
    }
  }

  /// Lets the authorization know whether a display, or an owner's client, shows prompts.
  func noteSurfaces(at now: MonotonicInstant) {
    let areOpen = showsPrompts || owners.values.contains { $0.subscriptions.contains(.ownerPrompt) }
    guard areOpen != authorization.areSurfacesOpen else { return }
    perform(authorization.handle(.surfacesChanged(areOpen: areOpen), at: now), at: now)
  }

  /// Whether the text of an open prompt is before the person at the button.
  var showsPrompts: Bool { policy.hasPromptDisplay || isPanelDrawn }

  /// The panel of a simulated board draws the texts of prompts, or does not any more.
  package func panelIsDrawn(_ isDrawn: Bool) {
    isPanelDrawn = isDrawn
    settle(at: SystemClock.monotonic)
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
