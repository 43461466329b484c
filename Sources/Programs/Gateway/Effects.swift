import Authorization
import Clocks
import Hardware
import LineProtocol
import Ports
import Logging
import Telemetry
import StateStore
import OperatingSystem

/// What the authorization asks for, done in its order.
extension Gateway {
  func perform(_ effects: [Effect], at now: MonotonicInstant) {
    let served = Set(effects.compactMap { if case .serve(let grant) = $0 { grant.app } else { nil } })
    var ends: [(request: RequestID, end: IntervalEnd)] = effects.compactMap { effect in
      if case .end(let request, let ending) = effect { (request, IntervalEnd(ending)) } else { nil }
    }
    for effect in effects {
      switch effect {
      case .save(let record):
        // Who is served now has it written with the log's entry: once more would be a wait for the disk.
        if served.contains(record.app) { unsaved.apps.insert(record.app) } else { save(record) }
        dropRegions(of: record.app)
      case .forget(let app):
        forget(app)
        dropRegions(of: app)
      case .saveLock(let isLocked):
        saveLock(isLocked)
        forgetSidesOfRegions()
      case .accept(let request): accept(request, as: "awaiting-press", at: now)
      case .acquire(let request):
        takeQuota(request, at: now)
        accept(request, as: "acquiring", at: now)
      case .ask(let request):
        // What stands beside the question is what the app said when it asked it, and nothing that it says later.
        if let command = incoming[request], case .authorization(let purpose) = command.kind {
          if let former = sessions[command.session]?.question { requesters[former.id] = nil }
          requesters[request] = command.session
          sessions[command.session]?.question = AskedQuestion(id: request, tag: command.tag, purpose: purpose)
        }
        answer(request, ["state": "asking"])
      case .present(let request): answer(request, [:])
      case .refuse(let request, let refusal): refuse(request, refusal)
      case .end(let request, let ending):
        // The kill switch may end a thousand: the log is written once for all of them, before the first app is told.
        closeIntervals(ends)
        ends = []
        end(request, ending)
      case .eraseUndelivered(let app):
        eraseUndelivered(of: app)
        regionKeeping.news.removeAll { app == nil || $0.app == app }
      case .tellPress(let session, let news): tellPress(session, news)
      case .serve(let grant):
        counts.grants[grant.right.rawValue, default: 0] += 1
        if grant.press != nil { lastPressOutcome = .granted }
        attempt(grant, at: now)
      case .begin(let updates):
        tendCloak(at: now)
        attempt(updates, at: now)
      case .withhold(let request):
        recallUpdates(request)
        closeInterval(of: request, .outOfUse)
      case .announce(let app):
        announce(app)
        // What was registered under "allow once" goes with it. (B6)
        dropRegions(of: app)
      case .announceLock(let isLocked): announceLock(isLocked, at: now)
      case .tellRegion(let app, let event): tell(app, event, at: now)
      case .notifyOwners(let app, let event): notifyOwners(app, event)
      case .endSession(let session): forget(session)
      case .checkLegibility:
        perform(authorization.handle(.legibilityChecked(restriction?.rawValue), at: now), at: now)
      case .show(let prompt): show(prompt)
      case .close(let prompt, let closing): close(prompt, closing)
      case .blip(.nothingWaiting): indicator.show(sign: .nothingWaiting, at: now)
      case .blip(.acquiring): indicator.show(sign: .acquiring, for: .milliseconds(500), at: now)
      }
    }
    // Who is to wait for a fix has it written by itself.
    for app in served where unsaved.apps.contains(app) { save(authorization.record(of: app)) }
  }

  // MARK: Durable state

  private func save(_ record: AppRecord) {
    do {
      try timed(.right) { try store.save(record, now: clock) }
      unsaved.apps.remove(record.app)
    } catch {
      unsaved.apps.insert(record.app)
      noteUnsaved(error)
    }
  }

  private func forget(_ app: AppID) {
    do {
      try timed(.right) { try store.remove(app) }
      unsaved.apps.remove(app)
    } catch {
      // What is written then is what holds for a new app.
      unsaved.apps.insert(app)
      noteUnsaved(error)
    }
  }

  private func saveLock(_ isLocked: Bool) {
    do {
      try timed(.right) { try store.saveLock(isLocked) }
      unsaved.lock = false
    } catch {
      unsaved.lock = true
      noteUnsaved(error)
    }
  }

  private func noteUnsaved(_ error: any Error) {
    unsaved.cause = "\(error)"
    loggers.store.error(
      "a change could not be written; nothing is disclosed until it is", metadata: ["cause": "\(error)"])
  }

  /// Writes what could not be written before.
  /// - Parameter written: whose record the caller writes together with something else.
  /// - Throws: `StoreError` while it still cannot.
  func saveWhatIsUnsaved(but written: AppID? = nil) throws {
    for app in unsaved.apps where app != written {
      try timed(.right) { try store.save(authorization.record(of: app), now: clock) }
      unsaved.apps.remove(app)
    }
    if unsaved.lock { try timed(.right) { try store.saveLock(authorization.isLocked) } }
    unsaved.lock = false
    try saveWithdrawals()
    if unsaved.apps.isEmpty { unsaved.cause = nil }
  }

  // MARK: Requests

  private func accept(_ request: RequestID, as state: String, at now: MonotonicInstant) {
    guard let command = incoming.removeValue(forKey: request) else { return }
    switch command.kind {
    case .once(let options):
      requesters[request] = command.session
      sessions[command.session]?.request = PendingRequest(
        id: request, tag: command.tag, options: options, received: now)
    case .updates(let options):
      requesters[request] = command.session
      sessions[command.session]?.updates = RunningUpdates(id: request, tag: command.tag, options: options)
    case .authorization: break
    }
    command.connection.send(.ok(tag: command.tag, ["state": state]))
    loggers.gateway.info(
      "accepted", metadata: ["app": "\(sessions[command.session]?.app.name ?? "")", "state": "\(state)"])
  }

  /// Consumes an entry of the log for a request that needs no press.
  private func takeQuota(_ request: RequestID, at now: MonotonicInstant) {
    guard let command = incoming[request], let app = sessions[command.session]?.app else { return }
    let isOnce = if case .once = command.kind { true } else { false }
    takeQuota(of: app, isOnce: isOnce, at: now)
  }

  /// Consumes an entry of the log, and warns the owner when the app has few left.
  /// - Returns: false if the app has none left.
  @discardableResult
  func takeQuota(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Bool {
    guard logQuota.wait(of: app, isOnce: isOnce, at: now) == nil else { return false }
    guard logQuota.take(of: app, isOnce: isOnce, at: now) else { return true }
    loggers.store.warning(
      "an app has added most of what it may to the log of disclosures; soon its requests are refused",
      metadata: ["app": "\(app)", "remedy": "onefix log --app \(app) lists its entries; should it use START updates?"])
    return true
  }

  /// Answers `AUTHORIZE` with the authorization as it is.
  private func answer(_ request: RequestID, _ more: ServerLine.Fields) {
    guard let command = incoming.removeValue(forKey: request), let app = sessions[command.session]?.app else { return }
    var fields = more
    fields["authorization"] = authorization.visibleStatus(of: app, in: command.session).rawValue
    fields["accuracy"] = authorization.accuracy(of: app, in: command.session).rawValue
    command.connection.send(.ok(tag: command.tag, fields))
  }

  private func refuse(_ request: RequestID, _ refusal: Refusal) {
    guard let command = incoming.removeValue(forKey: request) else { return }
    var fields: ServerLine.Fields = [:]
    let error: LineError
    switch refusal {
    case .locked: error = LineError(.locked, Self.lockedText)
    case .alreadyArmed:
      error = LineError(.alreadyArmed, "this app waits for a press or a fix already; CANCEL first")
    case .alreadyStarted: error = LineError(.alreadyArmed, "this session has updates already; STOP updates first")
    case .notDetermined: error = LineError(.notDetermined, "nobody allowed that yet; AUTHORIZE asks the person")
    case .denied: error = LineError(.denied, "this app was not allowed; REQ once may ask the person again")
    case .restricted: error = LineError(.restricted, "the owner's configuration forbids it")
    case .notInUse: error = LineError(.notInUse, "the app is not in use; a press that serves it begins use")
    case .illegible(let restriction): error = Self.illegible(restriction)
    case .tooSoon(let retryAfter):
      fields["retry-after"] = String((retryAfter.milliseconds + 999) / 1000)
      error = LineError(.rateLimited, "nobody answered the last question about this app; ask again later")
    case .noSession: error = LineError(.internal, "the session has ended; connect again")
    }
    count(error.code.slug, for: sessions[command.session]?.app)
    command.connection.send(.error(error, tag: command.tag, fields))
  }

  private static func illegible(_ restriction: String) -> LineError {
    let remedy = LegibilityRestriction(rawValue: restriction)?.remedy ?? restriction
    return LineError(.indicator, "the indicator cannot be shown: \(remedy)")
  }

  static let lockedText = "the kill switch is on; hold the button to unlock"

  func end(_ request: RequestID, _ ending: Ending) {
    if endQuestion(request, ending) { return }
    guard let session = requesters[request].flatMap({ sessions[$0] }) else { return }
    let error: LineError
    switch ending {
    case .cancelled, .sessionEnded:
      countRefusal("cancelled", request, of: session)
      drop(request, of: session)
      return
    case .notInUse: error = LineError(.notInUse, "the app is no longer in use")
    case .illegible(let restriction): error = Self.illegible(restriction)
    case .changed: error = LineError(.expired, "the app's authorization was changed; STATUS tells it")
    case .takenOver: error = LineError(.expired, "another session of this app asked while this one was away")
    case .noPress: error = LineError(.noPress, "nobody pressed the button in time")
    case .denied: error = LineError(.denied, "the person at the button said no")
    case .locked: error = LineError(.locked, Self.lockedText)
    case .expired: error = noFixError(for: request, of: session)
    }
    recallUpdates(request)
    end(request, of: session, error)
  }

  /// Why there was no fix in time. An app with reduced accuracy is told nothing of the receiver.
  private func noFixError(for request: RequestID, of session: Session) -> LineError {
    let isReduced =
      if let pending = session.request, pending.id == request {
        isReduced(pending, of: session)
      } else {
        authorization.accuracy(of: session.app, in: session.id) == .reduced
      }
    if isReduced {
      return LineError(.noFix, "no approximate place is known yet; the gateway looks for one each quarter of an hour")
    }
    return switch reception.condition.state {
    case .absent: LineError(.receiverAbsent, "the receiver is not there; is it plugged in?")
    case .off: LineError(.receiverAbsent, "the receiver cannot be switched on; onefix status says why")
    case .starting: LineError(.noFix, "the receiver says nothing that makes sense; is its baud rate right?")
    case .acquiring, .ready:
      LineError(.noFix, "the receiver found no fix in time; does its antenna see the sky?")
    }
  }

  /// Tells an app that nobody answered what it asked.
  ///
  /// - Returns: Whether the request was a question.
  private func endQuestion(_ request: RequestID, _ ending: Ending) -> Bool {
    guard let session = requesters[request].flatMap({ sessions[$0] }), let question = session.question,
      question.id == request
    else { return false }
    session.question = nil
    requesters[request] = nil
    if ending == .noPress {
      session.tell(ending: .error(LineError(.noPress, "nobody answered in time"), tag: question.tag, [:]))
    }
    return true
  }

  /// Counts what came to no fix. Updates that gave some are an interval of the log, which has how they ended.
  private func countRefusal(_ reason: String, _ request: RequestID, of session: Session) {
    if let updates = session.updates, updates.id == request, updates.given > 0 { return }
    count(reason, for: session.app)
  }

  private func drop(_ request: RequestID, of session: Session) {
    requesters[request] = nil
    if session.request?.id == request { session.request = nil }
    if session.updates?.id == request { session.updates = nil }
  }

  /// What is on its way for updates that may not go on stops before its next byte.
  private func recallUpdates(_ request: RequestID) {
    guard let session = requesters[request].flatMap({ sessions[$0] }), session.updates?.id == request else { return }
    session.connection?.recall(.updates)
  }

  /// Writes the ends of updates to the log.
  func closeIntervals(_ ends: [(request: RequestID, end: IntervalEnd)]) {
    close(
      ends.compactMap { request, end in
        guard let session = requesters[request].flatMap({ sessions[$0] }), let running = session.updates,
          running.id == request, let entry = running.entry
        else { return nil }
        running.entry = nil
        return .end(end, fixes: running.given, of: entry)
      })
  }

  func closeInterval(of request: RequestID, _ end: IntervalEnd) { closeIntervals([(request, end)]) }

  /// Tells an accepted request, or updates, that there will be no fix.
  private func end(_ request: RequestID, of session: Session, _ error: LineError) {
    let tag = session.request?.id == request ? session.request?.tag : session.updates?.tag
    countRefusal(error.code.slug, request, of: session)
    drop(request, of: session)
    session.tell(ending: .error(error, tag: tag, [:]))
    loggers.gateway.info("request ended", metadata: ["app": "\(session.app)", "code": "\(error.code.rawValue)"])
  }

  /// Tries to give a granted fix; where there is none yet it waits for the next epoch.
  func attempt(_ grant: Grant, at now: MonotonicInstant) {
    switch disclose(grant, at: now) {
    case nil:
      lastPressOutcome = .served
      if let press = grant.press { counts.pressToFix.observe(SystemClock.monotonic - press.up) }
      loggers.gateway.info("disclosed", metadata: ["app": "\(grant.app)", "right": "\(grant.right.rawValue)"])
      perform(authorization.handle(.served(grant.request), at: now), at: now)
    case .pending?, .revoked?:
      break
    case .indicator(let remedy)?:
      fail(grant, LineError(.indicator, "the indicator cannot be shown: \(remedy)"), at: now)
    case .cloak(let cause)?:
      loggers.gateway.error("a reduced fix was withheld", metadata: ["cause": "\(cause)"])
      fail(grant, Self.cloakRefusal, at: now)
    case .store(let cause)?:
      loggers.store.error("a fix was withheld: the log cannot be written", metadata: ["cause": "\(cause)"])
      fail(grant, Self.logRefusal, at: now)
    }
  }

  private static var cloakRefusal: LineError {
    LineError(.internal, "a reduced fix cannot be made on this gateway; the owner's log says why")
  }

  private static var logRefusal: LineError {
    LineError(.store, "the log of disclosures cannot be written; the owner's log says why")
  }

  private func fail(_ grant: Grant, _ error: LineError, at now: MonotonicInstant) {
    counts.withheld[error.code.slug, default: 0] += 1
    inUse[grant.app] = nil
    if let session = sessions[grant.session] { end(grant.request, of: session, error) }
    perform(authorization.handle(.failed(grant.request), at: now), at: now)
  }

  /// A new fix has come, or an app is back: whoever waits for it is served.
  func servePending(at now: MonotonicInstant) {
    for grant in authorization.sortedGrants { attempt(grant, at: now) }
    intervalOpening = IntervalOpening()
    var round = round(at: now)
    for member in running.members { attempt(member, in: &round) }
    tellRegions(at: now)
  }

  /// An app is back: what waits for it is served.
  func servePending(of session: Session, at now: MonotonicInstant) {
    for grant in authorization.grants.values.filter({ $0.session == session.id }) { attempt(grant, at: now) }
    if let updates = authorization.updates[session.id] { attempt(updates, at: now) }
    tellRegions(at: now)
  }

  private func attempt(_ updates: Updates, at now: MonotonicInstant) {
    guard let member = running.members.last(where: { $0.updates == updates }) else { return }
    intervalOpening.count = 0
    var round = round(at: now)
    attempt(member, in: &round)
  }

  /// Tries to give the next fix of updates; where there is none yet it waits for the next epoch.
  private func attempt(_ member: Running.Member, in round: inout Round) {
    let (updates, now) = (member.updates, round.now)
    switch disclose(member, in: &round) {
    case nil:
      if updates.firstFixDue != nil { perform(authorization.handle(.served(updates.request), at: now), at: now) }
    case .pending?, .revoked?: break
    case .indicator?:
      let restriction = restriction ?? .indicatorDark
      perform(authorization.handle(.legibilityChecked(restriction.rawValue), at: now), at: now)
    case .cloak(let cause)?:
      loggers.gateway.error("updates were withheld", metadata: ["cause": "\(cause)"])
      fail(updates, Self.cloakRefusal, at: now)
    case .store(let cause)?:
      loggers.store.error("updates were withheld: the log cannot be written", metadata: ["cause": "\(cause)"])
      fail(updates, Self.logRefusal, at: now)
    }
  }

  private func fail(_ updates: Updates, _ error: LineError, at now: MonotonicInstant) {
    counts.withheld[error.code.slug, default: 0] += 1
    closeInterval(of: updates.request, error.code == .indicator ? .indicator : .stopped)
    if let session = sessions[updates.session] { end(updates.request, of: session, error) }
    perform(authorization.handle(.failed(updates.request), at: now), at: now)
  }

  // MARK: Deliveries

  func close(_ entry: Int64, _ outcome: DisclosureOutcome) { close([.outcome(outcome, of: entry)]) }

  /// Writes outcomes and ends to the log, in one transaction.
  private func close(_ events: [LogEntry.Event]) {
    guard !events.isEmpty else { return }
    do { try timed(.outcome) { try store.close(events, now: clock) } } catch {
      loggers.store.error("the outcome of a disclosure could not be written", metadata: ["cause": "\(error)"])
    }
  }

  /// Of an app, or of every app. (D1, D2)
  private func eraseUndelivered(of app: AppID?) {
    // First of all: a store takes its time.
    for session in app.map(sessions.of) ?? Array(sessions.values) { session.connection?.recall(.all) }
    erase { app == nil || $0.app == app }
    eraseWaiting(of: app)
  }

  func erase(where isMeant: (Delivery) -> Bool) {
    close(deliveries.filter(isMeant).map { .outcome(.erased, of: $0.entry) })
    deliveries.removeAll(where: isMeant)
  }

  func tendDeliveries(at now: MonotonicInstant) {
    close(deliveries.filter { $0.expires <= now }.map { .outcome(.expired, of: $0.entry) })
    deliveries.removeAll { $0.expires <= now }
    for index in deliveries.indices where deliveries[index].nextDeadline <= now {
      redeliver(index, at: now, isDue: true)
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
