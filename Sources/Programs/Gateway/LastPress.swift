import Authorization
import Base
import LineProtocol
import StateStore

/// The effect of the latest press or hold of a button. Only owners (administrators) see this value, because the value
/// can name an app.
struct LastPress: Hashable {
  /// The effect of the press or hold; nil before the first press, and while the press can still become a double press.
  private(set) var effect: PressPhrase?
  /// The apps that the press concerned: an app got a fix, its authorization has changed, or a question was about the
  /// app. Empty if the press concerned no app.
  private(set) var apps: [AppID] = []
  /// The addresses of the outputs (brokers, files, web servers, serial ports) that confirmed the fix.
  private(set) var outputs: [String] = []
  /// The addresses of the outputs that did not get the fix, for example because a web server refused the fix,
  /// or because too many fixes already wait for the output.
  private(set) var failed: [String] = []
  /// The instant of the release, or the instant at which a hold (long press) took effect; nil before the first press.
  private(set) var instant: MonotonicInstant?
  /// The count of presses and holds since the start. Displays recognize a new press by this number.
  private var number = 0
  /// An unsent fix that the press of the button gave to an app.
  private struct Awaited: Hashable {
    var app: AppID
    /// The address of the output (such as an MQTT broker) that will get the fix; nil if a client will get the fix.
    var output: String?
  }

  private var awaited: [RequestID: Awaited] = [:]
  /// The fixes of the latest press that wait for their outputs. The key is the number of the fix in the outbox.
  private var stored: [Int64: Awaited] = [:]
  /// The apps with a fix of the latest press that ended without a confirmation, each with its effect: `noFix`, or
  /// `unconfirmed` if at least one of these fixes may have arrived.
  private var missed: [AppID: PressPhrase] = [:]
  /// The identifier of the prompt (a question to the user) that the press opened, or answers if no second press
  /// follows; nil if there is none.
  private var question: Int?

  /// The effect of the press in the short form for owners (administrators) and metrics.
  var outcome: PressOutcome {
    switch effect {
    case .acquiring, .noFix, .unconfirmed: .granted
    case .served: .served
    case .asked: .prompt
    case .allowed, .kept, .denied: .answered
    case .locked: .locked
    case .unlocked: .unlocked
    case nil, .unanswered, .withdrawn, .tooEarly, .nothingWaiting, .paused, .otherButton, .repeated, .restricted,
      .whileLocked, .lightUnseen, .outputFull:
      .nothing
    }
  }

  /// The fields of the reply to the command `PRESS` or `HOLD`, which operates a simulated button.
  var reply: ServerLine.Fields {
    var fields: ServerLine.Fields = ["effect": outcome.rawValue]
    add(to: &fields)
    return fields
  }

  /// Adds the effect of the press, the concerned apps and the used outputs to the fields of a message for owners
  /// (administrators).
  func add(to fields: inout ServerLine.Fields) {
    fields["last-press"] = effect?.rawValue
    fields["last-press-app"] = apps.map(\.name).fieldValue
    fields["last-press-to"] = outputs.fieldValue
    fields["last-press-failed"] = failed.fieldValue
    fields["last-press-number"] = effect.map { _ in "\(number)" }
  }

  /// Updates the effect of the latest press after an event. A later event, for example the delivery of the fix, can
  /// still change the effect.
  /// - Parameters:
  ///   - authorization: The state of the authorizations after the event.
  ///   - full: The outputs to which a press gives no fix, because too many fixes wait for them.
  ///   - output: The function that returns the address of the output of a session, and whether the output gets a fix by
  ///     each press; nil for the session of a client.
  mutating func note(
    _ event: Event, _ effects: [Effect], in authorization: Authorization,
    full: [(app: AppID, address: String)] = [], at now: MonotonicInstant,
    output: (SessionID) -> (address: String, isForEachPress: Bool)? = { _ in nil }
  ) {
    switch event {
    case .pressed(let press, _, _): begin(at: press.up)
    case .held(let hold) where hold.multiple == 1: begin(at: now)
    case .served(let request): finish(request, .served)
    case .failed(let request): finish(request, .noFix)
    default: break
    }
    for effect in effects {
      if case .serve(let grant) = effect, grant.press != nil {
        let output = output(grant.session)
        awaited[grant.request] = Awaited(app: grant.app, output: output?.address)
        if output?.isForEachPress == true {
          for (app, address) in full where app == grant.app { noteFailed(address) }
        }
      }
      note(effect, of: event, in: authorization, full, at: now)
    }
    if case .pressed(let press, _, _) = event, effect == nil {
      question = authorization.markedPrompt(of: press.button)?.id
    }
  }

  /// Records that the fix for a request waits for its output. Until `settle`, the effect of the press stays
  /// `acquiring`.
  /// - Parameter fix: The number of the fix in the outbox.
  mutating func store(_ fix: Int64, for request: RequestID) { stored[fix] = awaited.removeValue(forKey: request) }

  /// Updates the effect of the latest press after a fix for an output has ended. The fixes of earlier presses have no
  /// effect.
  mutating func settle(_ fix: Int64, _ outcome: DisclosureOutcome) {
    guard let fix = stored.removeValue(forKey: fix) else { return }
    switch outcome {
    case .acknowledged: finish(fix, .served)
    case .erased, .refused: finish(fix, .noFix)
    default: finish(fix, .unconfirmed)
    }
  }

  private mutating func begin(at instant: MonotonicInstant) {
    number += 1
    (effect, apps, outputs, self.instant, question) = (nil, [], [], instant, nil)
    (stored, missed, failed) = ([:], [:], [])
  }

  private mutating func note(
    _ effect: Effect, of event: Event, in authorization: Authorization, _ full: [(app: AppID, address: String)],
    at now: MonotonicInstant
  ) {
    switch effect {
    case .serve(let grant) where grant.press != nil: set(.acquiring, grant.app)
    case .end(let request, _):
      // The request ended before its fix, so its output did not fail.
      awaited[request]?.output = nil
      finish(request, .noFix)
    case .show(let prompt) where prompt.press != nil:
      set(.asked, prompt.app)
      question = prompt.id
    case .close(let prompt, .unanswered): changeQuestion(prompt, to: .unanswered)
    case .close(let prompt, .withdrawn), .close(let prompt, .locked): changeQuestion(prompt, to: .withdrawn)
    case .recordAnswer(let prompt, let choice, _):
      let answer = PressPhrase(choice)
      if case .answered(prompt.id, _) = event { changeQuestion(prompt, to: answer) } else { set(answer, prompt.app) }
    case .announceLock(let isLocked):
      if case .held = event { set(isLocked ? .locked : .unlocked) }
    case .notifyPress(_, .locked): set(.whileLocked)
    case .notifyPress(_, .illegible): set(.lightUnseen)
    case .notifyPress(_, .armedTooLate): set(.tooEarly)
    case .notifyPress(let session, .restricted):
      set(.restricted, session.flatMap { authorization.sessions[$0]?.app })
    case .blip(.acquiring): set(.repeated)
    case .blip(.nothingWaiting):
      guard case .pressed(let press, let illegible, _) = event, self.effect == nil else { break }
      if illegible != nil { set(.lightUnseen) } else { explainMiss(press, in: authorization, full, at: now) }
    default: break
    }
  }

  private mutating func set(_ effect: PressPhrase, _ app: AppID? = nil) {
    if effect != self.effect { (apps, outputs) = ([], []) }
    self.effect = effect
    if let app, !apps.contains(app) { apps.append(app) }
  }

  private mutating func changeQuestion(_ prompt: Prompt, to effect: PressPhrase) {
    if question == prompt.id, self.effect == nil || self.effect == .asked { set(effect, prompt.app) }
  }

  private mutating func finish(_ request: RequestID, _ effect: PressPhrase) {
    if let fix = awaited.removeValue(forKey: request) { finish(fix, effect) }
  }

  /// Records the end of one fix of a press. A press can give a fix to several outputs and, with `press_serves = "all"`,
  /// to several apps. The effect is `served` after the first confirmation, and otherwise `acquiring` until the last fix
  /// has ended.
  private mutating func finish(_ fix: Awaited, _ effect: PressPhrase) {
    if effect == .served {
      set(.served, fix.app)
      if let output = fix.output, !outputs.contains(output) { outputs.append(output) }
      return
    }
    if effect == .noFix, let output = fix.output { noteFailed(output) }
    if missed[fix.app] != .unconfirmed { missed[fix.app] = effect }
    guard self.effect != .served else { return }
    let unended = Set((Array(awaited.values) + stored.values).map(\.app))
    let end: PressPhrase = missed.values.contains(.unconfirmed) ? .unconfirmed : .noFix
    self.effect = unended.isEmpty ? end : .acquiring
    apps = (unended.isEmpty ? missed.filter { $0.value == end }.map(\.key) : Array(unended)).sorted()
  }

  private mutating func noteFailed(_ output: String) { if !failed.contains(output) { failed.append(output) } }

  /// Sets the effect of a press that gave no app a fix and answered no question, for example `tooEarly`.
  private mutating func explainMiss(
    _ press: Press, in authorization: Authorization, _ full: [(app: AppID, address: String)], at now: MonotonicInstant
  ) {
    if let prompt = authorization.prompt {
      return set(authorization.isButton(press.button, for: prompt) ? .tooEarly : .otherButton)
    }
    let waiting = authorization.arms.values.filter { authorization.isButton(press.button, for: $0.app) }
    if waiting.contains(where: { !authorization.needsPrompt($0.app) || !authorization.isPaused($0.app, at: now) }) {
      return set(.tooEarly)
    }
    let isQuestionNext = authorization.prompts.contains {
      authorization.nextPress(beside: $0, of: [press.button]) == .answers
    }
    if isQuestionNext { return set(.tooEarly) }
    for (app, address) in full {
      set(.outputFull, app)
      noteFailed(address)
    }
    if !full.isEmpty { return }
    if waiting.isEmpty, !authorization.arms.isEmpty { return set(.otherButton) }
    set(.nothingWaiting)
    for app in authorization.pausedApps(at: now) where authorization.isButton(press.button, for: app) {
      set(.paused, app)
    }
  }
}

extension PressPhrase {
  fileprivate init(_ choice: PromptChoice) {
    self =
      switch choice {
      case .yes, .once, .whileUsing, .always: .allowed
      case .keep: .kept
      case .no: .denied
      }
  }
}
