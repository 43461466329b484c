import Authorization
import Clocks
import Hardware
import LineProtocol
import LineServer
import Logging
import StateStore
import SystemClock

/// What the authorization asks for, done in its order.
extension Gateway {
  func perform(_ effects: [Effect], at now: MonotonicInstant) {
    for effect in effects {
      switch effect {
      case .save(let record): save(record)
      case .saveLock(let isLocked): saveLock(isLocked)
      case .accept(let request): accept(request)
      case .refuse(let request, let refusal): refuse(request, refusal)
      case .end(let request, let ending): end(request, ending)
      case .eraseUndelivered: eraseUndelivered { _ in true }
      case .tellPress(let session, let news): tellPress(session, news)
      case .serve(let grant):
        lastPressOutcome = .granted
        // A person has acted for this app.
        sessions[grant.session]?.graceLeft = Session.grace
        attempt(grant, at: now)
      case .announce(let app): announce(app)
      case .announceLock(let isLocked): announceLock(isLocked, at: now)
      case .show(let prompt): show(prompt)
      case .close(let prompt, let closing): close(prompt, closing)
      case .blip(.nothingWaiting): indicator.show(sign: .nothingWaiting, at: now)
      case .blip(.acquiring): indicator.show(sign: .acquiring, for: .milliseconds(500), at: now)
      }
    }
  }

  // MARK: Durable state

  private func save(_ record: AppRecord) {
    do {
      try store.save(record, now: clock)
      unsaved.apps.remove(record.app)
    } catch {
      unsaved.apps.insert(record.app)
      noteUnsaved(error)
    }
  }

  private func saveLock(_ isLocked: Bool) {
    do {
      try store.saveLock(isLocked)
      unsaved.lock = false
    } catch {
      unsaved.lock = true
      noteUnsaved(error)
    }
  }

  private func noteUnsaved(_ error: any Error) {
    unsaved.cause = "\(error)"
    logger.error("a change could not be written; nothing is disclosed until it is", metadata: ["cause": "\(error)"])
  }

  /// Writes what could not be written before.
  /// - Throws: `StoreError` while it still cannot.
  func saveWhatIsUnsaved() throws {
    for app in unsaved.apps { try store.save(authorization.record(of: app), now: clock) }
    if unsaved.lock { try store.saveLock(authorization.isLocked) }
    unsaved = Unsaved()
  }

  // MARK: Requests

  private func accept(_ request: RequestID) {
    guard let command = incoming.removeValue(forKey: request) else { return }
    sessions[command.session]?.request = command.pending
    command.connection.send(.ok(tag: command.pending.tag, ["state": "awaiting-press"]))
    logger.info("armed", metadata: ["app": "\(sessions[command.session]?.app.name ?? "")"])
  }

  private func refuse(_ request: RequestID, _ refusal: Refusal) {
    guard let command = incoming.removeValue(forKey: request) else { return }
    var fields: ServerLine.Fields = [:]
    let error: LineError
    switch refusal {
    case .locked: error = LineError(.locked, Self.lockedText)
    case .alreadyArmed:
      error = LineError(.alreadyArmed, "this app waits for a press already; CANCEL first")
    case .tooSoon(let retryAfter):
      fields["retry-after"] = String((retryAfter.milliseconds + 999) / 1000)
      error = LineError(.rateLimited, "nobody answered the last question about this app; ask again later")
    case .noSession: error = LineError(.internal, "the session has ended; connect again")
    }
    count(error.code.slug, for: sessions[command.session]?.app)
    command.connection.send(.error(error, tag: command.pending.tag, fields))
  }

  static let lockedText = "the kill switch is on; hold the button to unlock"

  func end(_ request: RequestID, _ ending: Ending) {
    guard let id = sessions.first(where: { $0.value.request?.id == request })?.key, let session = sessions[id] else {
      return
    }
    let error: LineError
    switch ending {
    case .cancelled, .sessionEnded:
      count("cancelled", for: session.app)
      sessions[id]?.request = nil
      return
    case .noPress: error = LineError(.noPress, "nobody pressed the button in time")
    case .denied: error = LineError(.denied, "the person at the button said no")
    case .locked: error = LineError(.locked, Self.lockedText)
    case .expired:
      error =
        switch reception.condition.state {
        case .absent: LineError(.receiverAbsent, "the receiver is not there; is it plugged in?")
        case .off: LineError(.receiverAbsent, "the receiver cannot be switched on; onefix status says why")
        case .starting: LineError(.noFix, "the receiver says nothing that makes sense; is its baud rate right?")
        case .acquiring, .ready:
          LineError(.noFix, "the receiver found no fix in time; does its antenna see the sky?")
        }
    }
    end(session, error)
  }

  /// Tells an accepted request that there will be no fix.
  private func end(_ session: Session, _ error: LineError) {
    sessions[session.id]?.request = nil
    count(error.code.slug, for: session.app)
    session.connection?.send(.error(error, tag: session.request?.tag, [:]))
    logger.info("request ended", metadata: ["app": "\(session.app)", "code": "\(error.code.rawValue)"])
  }

  /// Tries to give a granted fix; where there is none yet it waits for the next epoch.
  func attempt(_ grant: Grant, at now: MonotonicInstant) {
    switch disclose(grant, at: now) {
    case nil:
      lastPressOutcome = .served
      logger.info("disclosed", metadata: ["app": "\(grant.app)", "right": "\(grant.right.rawValue)"])
      perform(authorization.handle(.served(grant.request), at: now), at: now)
    case .pending?, .revoked?:
      break
    case .indicator(let remedy)?:
      fail(grant, LineError(.indicator, "the indicator cannot be shown: \(remedy)"), at: now)
    case .cloak(let cause)?:
      logger.error("a reduced fix was withheld", metadata: ["cause": "\(cause)"])
      fail(
        grant, LineError(.internal, "a reduced fix cannot be made on this gateway; the owner's log says why"), at: now)
    case .store(let cause)?:
      logger.error("a fix was withheld: the log cannot be written", metadata: ["cause": "\(cause)"])
      fail(grant, LineError(.store, "the log of disclosures cannot be written; the owner's log says why"), at: now)
    }
  }

  private func fail(_ grant: Grant, _ error: LineError, at now: MonotonicInstant) {
    inUse[grant.app] = nil
    if let session = sessions[grant.session] { end(session, error) }
    perform(authorization.handle(.failed(grant.request), at: now), at: now)
  }

  /// A new fix has come, or an app is back: whoever waits for it is served.
  func servePending(at now: MonotonicInstant) {
    for grant in authorization.grants.values.sorted(by: { $0.request < $1.request }) { attempt(grant, at: now) }
  }

  // MARK: Deliveries

  func close(_ entry: Int64, _ outcome: DisclosureOutcome) {
    do { try store.closeDisclosure(entry, outcome: outcome, now: clock) } catch {
      logger.error("the outcome of a disclosure could not be written", metadata: ["cause": "\(error)"])
    }
  }

  func eraseUndelivered(where isMeant: (Delivery) -> Bool) {
    for delivery in deliveries where isMeant(delivery) { close(delivery.entry, .erased) }
    deliveries.removeAll(where: isMeant)
  }

  func tendDeliveries(at now: MonotonicInstant) {
    for delivery in deliveries where delivery.expires <= now { close(delivery.entry, .expired) }
    deliveries.removeAll { $0.expires <= now }
    for index in deliveries.indices where deliveries[index].nextDeadline <= now { redeliver(index, at: now) }
  }

  // MARK: News

  private func tellPress(_ id: SessionID?, _ news: PressNews) {
    let json: String
    switch news {
    case .authorized: json = #"{"authorized":true}"#
    case .restricted: json = Self.pressJSON("restricted")
    case .locked: json = Self.pressJSON("locked")
    case .nothingArmed: json = Self.pressJSON("nothing-armed")
    case .armedTooLate: json = Self.pressJSON("armed-too-late")
    case .illegible(let restriction):
      json = Self.pressJSON(restriction)
      let remedy = LegibilityRestriction(rawValue: restriction)?.remedy ?? ""
      // The person sees that nothing was given, and a LED that works again can show it.
      indicator.show(sign: .nothingWaiting, at: SystemClock.monotonic)
      logger.warning(
        "a press was not granted: the person could not see that location is in use",
        metadata: ["restriction": "\(restriction)", "remedy": "\(remedy)"])
    }
    for (session, _) in sessions where id == nil || id == session { sessions[session]?.tell(.buttonPress, json) }
    if id == nil { tellOwners(.buttonPress, json) }
  }

  private static func pressJSON(_ reason: String) -> String { #"{"authorized":false,"reason":"\#(reason)"}"# }

  private func announce(_ app: AppID) {
    let json = authorizationJSON(app)
    for (id, session) in sessions where session.app == app { sessions[id]?.tell(.authorization, json) }
  }

  func authorizationJSON(_ app: AppID) -> String {
    var object = JSONObject()
    object.add("status", authorization.visibleStatus(of: app).rawValue)
    object.add("accuracy", authorization.record(of: app).accuracy.rawValue)
    return object.text
  }

  private func announceLock(_ isLocked: Bool, at now: MonotonicInstant) {
    lastPressOutcome = isLocked ? .locked : .unlocked
    inUse = [:]
    indicator.show(.off, at: now)
    indicator.show(sign: .locked, at: now)
    tellOwners(.indicator, indicatorJSON(.off))
    logger.notice(isLocked ? "locked by the kill switch" : "unlocked")
  }

  private func show(_ prompt: Prompt) {
    lastPressOutcome = .prompt
    tellOwners(.ownerPrompt, promptJSON(prompt, state: "open"))
    logger.info("prompt shown", metadata: ["app": "\(prompt.app)", "kind": "\(prompt.kind.rawValue)"])
  }

  private func close(_ prompt: Prompt, _ closing: PromptClosing) {
    if closing == .no { lastPressOutcome = .answered }
    tellOwners(.ownerPrompt, promptJSON(prompt, state: "\(closing)"))
    logger.info("prompt closed", metadata: ["app": "\(prompt.app)", "closing": "\(closing)"])
  }

  func promptJSON(_ prompt: Prompt, state: String) -> String {
    var object = JSONObject()
    object.add("prompt", prompt.id)
    object.add("app", prompt.app.name)
    object.add("kind", prompt.kind.rawValue)
    object.add("text", text(of: prompt))
    object.add("state", state)
    return object.text
  }

  func tellOwners(_ topic: Topic, _ json: String) {
    for (connection, _) in owners { owners[connection]?.subscriptions.tell(topic, json, on: connection) }
  }
}

extension Gateway {
  /// What the person is asked.
  func text(of prompt: Prompt) -> String {
    let name = setup.appNames[prompt.app] ?? prompt.app.name
    return switch prompt.kind {
    case .confirm: "Share with \(name) when you press? Press again: yes. Hold: no."
    case .introduce: "\(name) was not allowed. Use the button from now on? Press: yes. Hold: no."
    }
  }
}
