import Authorization
import Clocks
import Languages
import LineProtocol
import Logging
import SystemClock

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
      .stopped, .asked, .regionCrossed, .edge, .served, .failed, .legibilityChecked, .timePassed:
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
    let age = state == "open" ? SystemClock.monotonic - prompt.shown : nil
    return promptJSON(
      id: prompt.id, prompt.kind, of: prompt.app, prompt.cause, state: state, by: decider, age: age)
  }

  func promptJSON(_ prompt: QueuedPrompt) -> String {
    promptJSON(id: nil, prompt.kind, of: prompt.app, prompt.cause, state: "queued", by: nil)
  }

  private func promptJSON(
    id: Int?, _ kind: Prompt.Kind, of app: AppID, _ cause: Prompt.Cause, state: String, by decider: Decider?,
    age: Duration? = nil
  ) -> String {
    var object = JSONObject()
    object.add("prompt", id)
    object.add("app", app.name)
    object.add("kind", kind.rawValue)
    object.add("name", name(of: app))
    object.add("text", "\(question(kind, of: app)) \(ways(of: kind))")
    object.add("choices", kind.choices(showsText: true).map(\.rawValue).joined(separator: ","))
    object.add("says", saying(of: cause, app))
    object.add("state", state)
    object.add("by", decider?.rawValue)
    object.add("age_ms", age.map { max(0, $0.milliseconds) })
    return object.text
  }

  /// What the app that asks says of itself; nil where it says nothing, or where the gateway asks.
  private func saying(of cause: Prompt.Cause, _ app: AppID) -> String? {
    switch cause {
    case .press(_, let request): requesters[request].flatMap { sessions[$0]?.request?.options.purpose }.map(quotable)
    case .session(let session): sessions[session]?.purpose.map(quotable)
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

  /// How the person answers at the button.
  func ways(of kind: Prompt.Kind) -> String {
    let phrase: AnswerPhrase =
      switch kind {
      case .confirm: .pressAgain
      case .introduce: .press
      case .authorize, .authorizeAlways: showsPrompts ? .onceOrTwice : .once
      case .upgrade: .unchanged
      case .always, .precise: .refused
      }
    return phrase.text(in: policy.language)
  }

  /// Whether the text of an open prompt is before the person at the button.
  var showsPrompts: Bool { policy.hasPromptDisplay || isPanelDrawn }

  /// The panel of a simulated board draws the texts of prompts, or does not any more.
  package func panelIsDrawn(_ isDrawn: Bool) { isPanelDrawn = isDrawn }
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
