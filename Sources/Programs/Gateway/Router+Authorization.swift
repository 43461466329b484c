import Authorization
import Base
import Hardware
import LineProtocol
import Logging
import OperatingSystem
import Ports
import StateStore

// Passes presses and other events to the authorization, and performs the effects.
extension Router {
  // MARK: Buttons

  /// Handles an event of a button, for example an edge (a change of the level).
  mutating func take(_ event: EdgeEvent, of button: String, at now: ClockReading) {
    // The authorization receives each edge, because no prompt may open while a person is pressing or releasing a
    // button.
    if case .edge(let edge) = event { handle(.edge(edge.timestamp), at: now) }
    perform(buttons.take(event, of: button, &outputs), of: button, at: now)
  }

  mutating func loseButton(_ button: String, cause: String, at now: ClockReading) {
    perform(buttons.lose(button, cause: cause, at: now.monotonic, &outputs), of: button, at: now)
  }

  /// Handles the actions at a button, for example a press or a hold (long press).
  mutating func perform(_ acts: [ButtonAct], of button: String, at now: ClockReading) {
    for act in acts {
      switch act {
      case .down(let instant):
        owners.notify(.ownerButton, JSONObject.text(["button": button]))
        if authorization.expectsPress(of: button, down: instant) { disclosures.indicator.press(button) }
      case .abandoned: disclosures.indicator.release(button)
      case .pressed(let down, let up):
        disclosures.indicator.release(button)
        press(Press(button: button, down: down, up: up), at: now)
        outputs.endedPresses.append(.init(button: button, effect: lastPress, release: up))
      case .held(let down, _, let multiple):
        disclosures.indicator.release(button)
        let before = lastPress
        if multiple == 1 { outputs.count(.holds) }
        handle(.held(Hold(button: button, down: down, multiple: multiple)), at: now)
        // A person can hold the button for several times the hold time. The effect of the first hold time is always
        // reported. The effect of a further hold time is reported only if the state has changed.
        if multiple == 1 || lastPress != before {
          outputs.endedPresses.append(.init(button: button, effect: lastPress, release: nil))
        }
      case .stuck:
        outputs.log(
          .button, .warning, "button stuck: it has no effect until it is released",
          ["button": button, "remedy": "is an object on the button? is active_low right?"])
      case .recovered:
        outputs.log(.button, .notice, "button released: it has effect again", ["button": button])
      }
    }
  }

  private mutating func press(_ press: Press, at now: ClockReading) {
    let button = dependencies.buttons.first { $0.profile.name == press.button }
    let restriction = button?.profile.restrictions.first ?? disclosures.indicator.visibilityRestriction
    handle(
      .pressed(press, illegible: restriction?.rawValue, showsText: showsText(to: press.button, at: now.monotonic)),
      at: now)
    // `.pressed` has the time of the release. Deadlines may have passed between the release and now; `.timePassed`
    // handles these deadlines.
    handle(.timePassed, at: now)
    for (app, address) in fullOutputs(of: press.button) where lastPress.failed.contains(address) {
      outputs.log(
        .output, .warning, "a press gave an output no fix: too many fixes wait for it",
        ["app": app.name, "output": address])
    }
    outputs.count(.presses, lastPress.outcome.rawValue)
  }

  /// Returns whether the person at a button can read the whole prompt (the question to the user) that a press of this
  /// button answers.
  private func showsText(to button: String, at now: MonotonicInstant) -> Bool {
    configuration.showsPrompts
      || authorization.markedPrompt(of: button).map { owners.displays($0, at: now) } ?? false
  }

  // MARK: Effects

  /// Passes an event to the state machine of the authorizations, and performs the resulting effects in order.
  /// - Parameters:
  ///   - way: The way in which a prompt (a question to the user) was answered: with the button, or by an owner
  ///     (administrator).
  ///   - language: The language in which an owner read the prompt; nil for the language of the gateway.
  mutating func handle(
    _ event: Event, by way: AnswerWay = .button, in language: String? = nil, at now: ClockReading
  ) {
    let effects = authorization.handle(event, at: now.monotonic)
    let before = lastPress
    var full: [(app: AppID, address: String)] = []
    if case .pressed(let press, _, _) = event { full = fullOutputs(of: press.button) }
    lastPress.note(event, effects, in: authorization, full: full, at: now.monotonic) { session in
      sessions[session]?.connection?.sink.map { ($0.form.address, sessions.eachPress.contains(session)) }
    }
    let isAsked = sound.isNew(authorization.answerablePrompt?.id)
    let signal = Sound.signal(for: effects, isAsked: isAsked, from: before, to: lastPress)
    // The sound follows the writes, because a person hears the sound as a confirmation.
    defer { if let signal { sound.play(signal, isClockRight: clockFault(at: now) == nil, at: now) } }
    guard !effects.isEmpty else { return }
    recordAnswers(in: effects, way, language, at: now)
    let source = DecisionSource(event)
    let served = Set(effects.compactMap { if case .serve(let grant) = $0 { grant.app } else { nil } })
    var ends = effects.compactMap { if case .end(let request, let ending) = $0 { (request, ending) } else { nil } }
    // The requests about which a press asked a question that is now closed.
    let asked = Set(effects.compactMap { if case .close(let prompt, _) = $0 { prompt.arm } else { nil } })
    // One transaction saves records without other effects between them.
    var unsaved: [AppRecord] = []
    for effect in effects {
      if case .save(let record) = effect {
        if served.contains(record.app) { postponeRecord(record) } else { unsaved.append(record) }
        continue
      }
      save(&unsaved, at: now)
      if case .end = effect, !ends.isEmpty {
        closeIntervals(of: ends)
        ends = []
      }
      if case .end(let request, .noPress) = effect, asked.contains(request) {
        end(request, Self.unconfirmedError, at: now)
      } else {
        perform(effect, by: source, at: now)
      }
    }
    save(&unsaved, at: now)
    // A postponed record is saved here only if its app got no fix, so that no log entry has saved it.
    if !served.isEmpty { disclosures.log.saveDeferred(served.sorted(), at: now.monotonic, &outputs) }
  }

  /// Writes the answers to prompts (questions to the user) to the disclosure log (the log of fixes sent to apps).
  ///
  /// The write precedes all effects of the answers: an answer must be in the log before an authorization changes. An
  /// effect can also remove the request that contains the purpose for the log entry.
  private mutating func recordAnswers(
    in effects: [Effect], _ way: AnswerWay, _ language: String?, at now: ClockReading
  ) {
    for case .recordAnswer(let prompt, let choice, let accuracy) in effects {
      // An owner answers where the text of the prompt is shown. At the button, a text is shown only if the button has a
      // display.
      let showsText =
        way != .button || configuration.showsPrompts || owners.displays(prompt, at: now.monotonic)
      let answer = AnswerEntry(
        app: prompt.app, prompt: prompt.kind, choice: choice, accuracy: accuracy,
        purpose: showsText ? purpose(of: prompt).map(Quotation.contents) : nil,
        language: showsText ? language ?? configuration.policy.language.rawValue : nil, way: way)
      disclosures.log.record(.answer(answer), of: prompt.app, at: now.monotonic, &outputs)
    }
  }

  /// Keeps a changed authorization in memory until the log entry of the fix. One transaction then writes both, which
  /// saves one fsync.
  private mutating func postponeRecord(_ record: AppRecord) {
    disclosures.log.postpone(record)
    checkRegions(of: record.app)
  }

  /// Saves the authorizations in one transaction, and empties the array.
  private mutating func save(_ records: inout [AppRecord], at now: ClockReading) {
    guard !records.isEmpty else { return }
    disclosures.log.save(records, at: now.monotonic, &outputs)
    for record in records { checkRegions(of: record.app) }
    records = []
  }

  /// Writes the ends of several streams of updates (repeated fixes) to the disclosure log (the log of fixes sent to
  /// apps). The kill switch can end thousands of streams, so the function uses one transaction.
  private mutating func closeIntervals(of ends: [(request: RequestID, ending: Ending)]) {
    let ends = ends.map { (request: $0.request, end: IntervalEnd($0.ending)) }
    // Fixes are recalled from the queues before the write, because a write takes time.
    for (request, end) in ends where end != .stopped { recallUpdates(request) }
    disclosures.closeIntervals(ends, &outputs)
  }

  /// Removes the unsent fixes of a stream of updates (repeated fixes) from the send queue of its connection.
  private func recallUpdates(_ request: RequestID) {
    guard let session = sessions.session(of: request), session.updates?.id == request else { return }
    session.connection?.recall(.updates)
  }

  /// Erases the unsent fixes and region events of an app, or of all apps if `app` is nil.
  mutating func eraseUndelivered(_ app: AppID?, at now: ClockReading) {
    // Fixes are recalled from the queues before any write to the store, because a write takes time.
    for session in app.map({ sessions.of($0) }) ?? sessions.sorted { session.connection?.recall(.all) }
    disclosures.withdraw(app, at: now, &outputs)
    endErased(disclosures.erase(app.map { .app($0) } ?? .all, &outputs), at: now)
    regions.erase(app)
  }

  /// Performs one effect of the state machine of the authorizations.
  /// - Parameter source: The way in which a person made the decision: with the button, or as an owner (administrator).
  ///   Nil if no person decided.
  private mutating func perform(_ effect: Effect, by source: DecisionSource?, at now: ClockReading) {
    let instant = now.monotonic
    switch effect {
    // `handle` has performed these effects.
    case .save, .recordAnswer: break
    case .forget(let app):
      disclosures.log.remove(asNew: authorization.record(of: app), at: instant, &outputs)
      checkRegions(of: app)
    case .saveLock(let isLocked):
      disclosures.log.saveLock(isLocked, at: instant, &outputs)
      regions.forgetSides(in: &disclosures.log, &outputs)
      forgetPlaceSides(at: now)
    case .accept(let request): accept(request, "awaiting-press", at: now)
    case .acquire(let request):
      // The log entry of a request without a press of the button uses a part of the app's quota.
      if let command = sessions.incoming(request), let app = sessions[command.session]?.app {
        let isOnce = if case .once = command.kind { true } else { false }
        disclosures.log.countEntry(of: app, isOnce: isOnce, at: instant, &outputs)
      }
      accept(request, "acquiring", at: now)
    case .ask(let request):
      sessions.ask(request)
      answer(request, ["state": "asking"])
    case .present(let request): answer(request, [:])
    case .refuse(let request, let refusal):
      let (error, fields) = Self.refusal(refusal)
      if let app = sessions.refuse(request, error, fields) { noteRefusal(error.code.slug, of: app, at: now) }
    case .end(let request, let ending): end(request, ending, at: now)
    case .serve(let grant):
      outputs.count(.grants, grant.right.rawValue)
      endPassedRights(at: now)
      serve(grant, at: now)
    case .begin(let value):
      let slots = disclosures.advanceSlots(receiver.latest, under: authorization, at: now)
      if slots.isPlaceNew { servePending(at: now) }
      update(value.request, at: now)
    case .withhold(let request):
      recallUpdates(request)
      disclosures.closeIntervals([(request, .outOfUse)], &outputs)
    case .eraseUndelivered(let app): eraseUndelivered(app, at: now)
    case .notifyPress(let session, let notification): notify(session, of: notification, at: now)
    case .announce(let app):
      for session in sessions.of(app) {
        session.send(.authorization, authorizationJSON(app, in: session.id, at: now))
      }
      // The end of the authorization "allow once" also deletes the regions that the app registered under this
      // authorization. See row B6 of the authorization reference (end of "allow once").
      checkRegions(of: app)
    case .announceLock(let isLocked):
      disclosures.indicator.changeLock(at: instant)
      owners.notify(.indicator, Indicator.json(.off, isLocked: isLocked))
      outputs.log(.gateway, .notice, isLocked ? "locked by the kill switch" : "unlocked")
    case .notifyRegion(let app, let event):
      regions.add(event, of: app, at: instant)
      reportCrossings(at: now)
    case .notifyOwners(let app, let event):
      // The light does not change: no app gets a location, and there is no question.
      owners.notifyOrKeep(notificationJSON(app, event, at: now.utc), &outputs)
    case .endSession(let session): removeSession(session, at: now)
    case .show(let prompt):
      owners.notify(.ownerPrompt, promptJSON(prompt, state: "open", at: instant))
      outputs.count(.prompts, prompt.kind.rawValue)
      outputs.log(.gateway, .info, "prompt shown", ["app": "\(prompt.app)", "kind": prompt.kind.rawValue])
    case .close(let prompt, let closing):
      owners.notify(
        .ownerPrompt, promptJSON(prompt, state: "\(closing)", by: closing.source(source), at: instant))
      outputs.log(.gateway, .info, "prompt closed", ["app": "\(prompt.app)", "closing": "\(closing)"])
    case .recordEnd(let app, let right, let status): noteEnd(of: right, of: app, status, at: now)
    case .blip(.nothingWaiting): disclosures.indicator.show(sign: .nothingWaiting, at: instant)
    case .blip(.acquiring): disclosures.indicator.show(sign: .acquiring, for: .milliseconds(500), at: instant)
    case .checkLegibility: handle(.legibilityChecked(disclosures.indicator.restriction?.rawValue), at: now)
    }
  }

  // MARK: Notifications

  /// Sends the outcome of a press of a button to apps and owners (administrators).
  /// - Parameter session: The session to which the outcome is sent; nil for all sessions and owners.
  private mutating func notify(_ session: SessionID?, of notification: PressNotification, at now: ClockReading) {
    var refusal: String?
    switch notification {
    case .authorized: break
    case .restricted: refusal = "restricted"
    case .locked: refusal = "locked"
    case .nothingArmed: refusal = "nothing-armed"
    case .armedTooLate: refusal = "armed-too-late"
    case .illegible(let restriction):
      refusal = restriction
      let remedy = LegibilityProblem(rawValue: restriction)?.remedy ?? "see onefixd check"
      // The short signal `.nothingWaiting` means that the press granted no request.
      disclosures.indicator.show(sign: .nothingWaiting, at: now.monotonic)
      outputs.log(
        .indicator, .warning, "cannot grant a press: \(restriction) (\(remedy))",
        ["restriction": restriction, "remedy": remedy])
    }
    if let refusal { outputs.count(.pressRefusals, refusal) }
    let json = JSONObject.text(["authorized": refusal == nil, "reason": refusal])
    if let session {
      sessions[session]?.send(.buttonPress, json)
    } else {
      sessions.notifyAll(.buttonPress, json)
      owners.notify(.buttonPress, json)
    }
  }

  func authorizationJSON(_ app: AppID, in session: SessionID, at now: ClockReading) -> String {
    JSONObject.text([
      "status": authorization.visibleStatus(of: app, in: session).rawValue,
      "accuracy": authorization.accuracy(of: app, in: session).rawValue,
      "until": authorization.timeLimit(of: app).map { now.utc(at: $0.end).iso8601 },
    ])
  }

  private func notificationJSON(_ app: AppID, _ event: RegionEvent, at time: UTCTime) -> String {
    NotificationMessage.json {
      $0.app = app.name
      $0.name = configuration.policy.name(of: app)
      $0.region = event.region
      $0.event = event.isEntry ? "enter" : "exit"
      $0.says = (regions.region(event.region, of: app)?.text).map(Quotation.contents)
      $0.time = time.iso8601
    }
  }
}

/// The way in which a person made a decision: with the button, or as an owner (administrator).
enum DecisionSource: String, Hashable, Sendable {
  case button
  case owner

  /// Returns the way in which a person caused an event; nil if no person caused the event.
  init?(_ event: Event) {
    switch event {
    case .pressed, .held: self = .button
    case .answered, .ordered, .lockOrdered: self = .owner
    case .sessionOpened, .sessionLost, .sessionResumed, .sessionEnded, .stateChanged, .requested, .cancelled, .started,
      .stopped, .asked, .regionCrossed, .edge, .served, .failed, .legibilityChecked, .surfacesChanged, .useShown,
      .resumed, .timePassed:
      return nil
    }
  }
}

extension IntervalEnd {
  fileprivate init(_ ending: Ending) {
    self =
      switch ending {
      case .cancelled, .sessionEnded, .noPress, .expired: .stopped
      case .notInUse: .outOfUse
      case .illegible: .indicator
      case .changed, .denied, .takenOver: .revoked
      case .locked: .locked
      }
  }
}

extension PromptClosing {
  /// Returns the way in which a person closed the prompt (the question to the user); nil if no person closed the
  /// prompt.
  /// - Parameter source: The way in which a person caused the event; nil if unknown. An answer then counts as an answer
  ///   with the button.
  fileprivate func source(_ source: DecisionSource?) -> DecisionSource? {
    switch self {
    case .yes, .no: source ?? .button
    case .withdrawn, .locked: source
    case .unanswered: nil
    }
  }
}
