import Authorization
import Clocks
import Disclosure
import Hardware
import Languages
import LineProtocol
import Logging
import Ports
import ReceiverStream
import StateStore
import Telemetry

/// Passes presses and other events to the authorization, and converts its decisions to actions.
extension Router {
  func actions(for press: Press) -> [Action] {
    let button = dependencies.buttons.first { $0.profile.name == press.button }
    let restriction = button?.profile.restrictions.first ?? indicator.visibilityRestriction
    return [
      .event(.pressed(press, illegible: restriction?.rawValue, showsText: showsPrompts)),
      // `.pressed` has the time of the release. Deadlines may have passed between the release and now; `.timePassed`
      // handles these deadlines.
      .event(.timePassed), .endPress(press),
    ]
  }

  /// - Parameters:
  ///   - way: the way in which an owner answered, if the event is an answer of an owner.
  ///   - language: the language in which the owner read the prompt; nil for the language of the gateway.
  mutating func handle(
    _ event: Event, by way: AnswerWay = .button, in language: String? = nil, at now: MonotonicInstant
  ) -> [Action] {
    let effects = authorization.handle(event, at: now)
    guard !effects.isEmpty else { return [] }
    let source = DecisionSource(event)
    // The record of an app that receives a fix is saved together with the log entry. The store then needs one
    // synchronization of the disk less.
    let served = Set(effects.compactMap { if case .serve(let grant) = $0 { grant.app } else { nil } })
    // The kill switch can end thousands of streams of updates, so one transaction writes all their ends.
    var ends: [(request: RequestID, end: IntervalEnd)] = effects.compactMap {
      if case .end(let request, let ending) = $0 { (request, IntervalEnd(ending)) } else { nil }
    }
    var actions: [Action] = []
    // One transaction saves records without other effects between them.
    var saved: [AppRecord] = []
    for effect in effects {
      if case .save(let record) = effect {
        guard served.contains(record.app) else {
          saved.append(record)
          continue
        }
        actions += log.handle(.postpone(record), at: now)
        actions.append(checkRegions(of: record.app))
        continue
      }
      if !saved.isEmpty {
        actions.append(.saveRecords(saved))
        saved = []
      }
      if case .recordAnswer(let prompt, let choice, let accuracy) = effect {
        // The entry is written before the answer changes a right. An owner answers where the text of the prompt is
        // shown. At the button, a text is shown only if the button has a display.
        let showsText = way != .button || showsPrompts
        actions += log.handle(
          .answered(
            AnswerEntry(
              app: prompt.app, prompt: prompt.kind, choice: choice, accuracy: accuracy,
              purpose: showsText ? purpose(of: prompt).map(Quotation.contents) : nil,
              language: showsText ? language ?? configuration.policy.language.rawValue : nil, way: way)),
          at: now)
        continue
      }
      if case .end = effect, !ends.isEmpty {
        // Updates are removed from the queues before the write of their ends, because a write takes time.
        actions += ends.flatMap { $0.end == .stopped ? [] : recallUpdates($0.request) }
        actions.append(.closeIntervals(ends))
        ends = []
      }
      actions.append(.effect(effect, by: source))
    }
    if !saved.isEmpty { actions.append(.saveRecords(saved)) }
    if !served.isEmpty { actions.append(.saveDeferred(served.sorted())) }
    return actions
  }

  mutating func actions(for effect: Effect, by source: DecisionSource?, at now: ClockReading) -> [Action] {
    let instant = now.monotonic
    switch effect {
    case .save, .recordAnswer: return []
    case .forget(let app):
      return log.handle(.remove(asNew: authorization.record(of: app)), at: instant) + [checkRegions(of: app)]
    case .saveLock(let isLocked):
      return log.handle(.saveLock(isLocked), at: instant) + regions.handle(.lockChanged, at: instant)
        + forgetPlaceSides()
    case .accept(let request): return sessions.handle(.accept(request, state: "awaiting-press"), at: instant)
    case .acquire(let request):
      return countEntry(of: request, at: instant)
        + sessions.handle(.accept(request, state: "acquiring"), at: instant)
    case .ask(let request):
      return sessions.handle(.ask(request), at: instant) + answer(request, ["state": "asking"], at: instant)
    case .present(let request): return answer(request, [:], at: instant)
    case .refuse(let request, let refusal):
      let (error, fields) = Self.refusal(refusal)
      return sessions.handle(.refuse(request, error, fields), at: instant)
    case .end(let request, let ending): return end(request, ending, at: instant)
    case .serve(let grant):
      return [.count(.granted(grant.right))] + (grant.press == nil ? [] : [.outcome(.granted)]) + [.serve(grant)]
    case .begin(let value):
      advanceCloak(at: now)
      let pending: [Action] = advancePlaces(at: now) ? [.servePending] : []
      return pending + [.update(value.request)]
    case .withhold(let request):
      return recallUpdates(request) + closeIntervals([(request, .outOfUse)], at: instant)
    case .eraseUndelivered(let app):
      // Fixes are removed from the queues before any write to the store, because writes take time.
      let connections = (app.map { sessions.of($0) } ?? sessions.sorted).compactMap(\.connection)
      return connections.map { .recall($0, .all) }
        + deliveries.handle(.erase(app.map { .app($0) } ?? .all), at: instant)
        + outbox.handle(.withdraw(app), at: instant) + regions.handle(.erase(app), at: instant)
    case .notifyPress(let session, let notification): return notify(session, of: notification, at: instant)
    case .announce(let app):
      let messages = sessions.of(app).flatMap {
        sessions.handle(
          .notify(.authorization, authorizationJSON(app, in: $0.id), .session($0.id)), at: instant)
      }
      // The end of the authorization "allow once" also deletes the regions that the app registered under this
      // authorization (B6).
      return messages + [checkRegions(of: app)]
    case .announceLock(let isLocked):
      return [.outcome(isLocked ? .locked : .unlocked)]
        + indicator.handle(.lockChanged(isLocked: isLocked), at: instant)
        + [.log(LogMessage(.gateway, .notice, isLocked ? "locked by the kill switch" : "unlocked"))]
    case .notifyRegion(let app, let event): return regions.handle(.report(app, event), at: instant)
    case .notifyOwners(let app, let event):
      return owners.handle(.notifyOrKeep(notificationJSON(app, event, at: now.utc)))
        + indicator.handle(.notified, at: instant)
    case .endSession(let session): return sessions.handle(.remove(session), at: instant)
    case .show(let prompt):
      return [
        .outcome(.prompt), .notifyOwners(.ownerPrompt, promptJSON(prompt, state: "open", at: instant)),
        .count(.prompt(prompt.kind)),
        .log(LogMessage(.gateway, .info, "prompt shown", ["app": "\(prompt.app)", "kind": prompt.kind.rawValue])),
      ]
    case .close(let prompt, let closing):
      let json = promptJSON(prompt, state: "\(closing)", by: closing.source(source), at: instant)
      return (closing == .yes || closing == .no ? [.outcome(.answered)] : []) + [
        .notifyOwners(.ownerPrompt, json),
        .log(LogMessage(.gateway, .info, "prompt closed", ["app": "\(prompt.app)", "closing": "\(closing)"])),
      ]
    case .blip(.nothingWaiting): return indicator.handle(.sign(.nothingWaiting), at: instant)
    case .blip(.acquiring): return indicator.handle(.sign(.acquiring, .milliseconds(500)), at: instant)
    case .checkLegibility: return [.event(.legibilityChecked(indicator.restriction?.rawValue))]
    }
  }

  // MARK: Requests

  /// Counts the log entry of a request without a press of the button. The entry uses a part of the app's quota.
  private mutating func countEntry(of request: RequestID, at now: MonotonicInstant) -> [Action] {
    guard let command = sessions.incoming(request), let app = sessions[command.session]?.app else { return [] }
    let isOnce = if case .once = command.kind { true } else { false }
    return log.handle(.countEntry(app, isOnce: isOnce), at: now)
  }

  private mutating func answer(_ request: RequestID, _ more: ServerLine.Fields, at now: MonotonicInstant) -> [Action] {
    guard let command = sessions.incoming(request), let app = sessions[command.session]?.app else { return [] }
    var fields = more
    fields["authorization"] = authorization.visibleStatus(of: app, in: command.session).rawValue
    fields["accuracy"] = authorization.accuracy(of: app, in: command.session).rawValue
    return sessions.handle(.answer(request, fields), at: now)
  }

  private static func refusal(_ refusal: Refusal) -> (LineError, ServerLine.Fields) {
    switch refusal {
    case .locked: (lockedError, [:])
    case .alreadyArmed:
      (LineError(.alreadyArmed, "this app already waits for a press or a fix (send CANCEL first)"), [:])
    case .alreadyStarted: (LineError(.alreadyArmed, "this session already has updates (send STOP updates first)"), [:])
    case .notDetermined: (LineError(.notDetermined, "no user has decided yet (AUTHORIZE asks the user)"), [:])
    case .denied: (LineError(.denied, "this app is denied (REQ once may ask the user again)"), [:])
    case .restricted: (LineError(.restricted, "the configuration does not allow this app to receive a location"), [:])
    case .notInUse: (LineError(.notInUse, "the app is not in use (a press that serves the app begins use)"), [:])
    case .illegible(let restriction): (illegible(restriction), [:])
    case .tooSoon(let retryAfter):
      (
        LineError(.rateLimited, "no user answered the last question about this app (ask again later)"),
        ["retry-after": "\(retryAfter.secondsRoundedUp)"]
      )
    case .noSession: (LineError(.internal, "the session has ended (connect again)"), [:])
    }
  }

  static let lockedError = LineError(.locked, "the kill switch is on (hold the button to unlock)")

  private static func illegible(_ restriction: String) -> LineError {
    let remedy = LegibilityRestriction(rawValue: restriction)?.remedy ?? restriction
    return LineError(.indicator, "the indicator cannot be shown (\(remedy))")
  }

  // MARK: Ends

  private mutating func end(_ request: RequestID, _ ending: Ending, at now: MonotonicInstant) -> [Action] {
    guard let session = sessions.session(of: request) else { return [] }
    if session.question?.id == request {
      let error = ending == .noPress ? LineError(.noPress, "no user answered in time") : nil
      return sessions.handle(.end(request, error), at: now)
    }
    let error: LineError
    switch ending {
    case .cancelled, .sessionEnded:
      let refused = refused("cancelled", request, session.app)
      return updates.handle(.remove(request), at: now) + sessions.handle(.end(request, nil), at: now) + refused
    case .notInUse: error = LineError(.notInUse, "the app is no longer in use")
    case .illegible(let restriction): error = Self.illegible(restriction)
    case .changed: error = LineError(.expired, "the authorization of the app has changed (STATUS shows it)")
    case .takenOver:
      error = LineError(.expired, "another session of this app sent a request while this session was disconnected")
    case .noPress: error = LineError(.noPress, "no user pressed the button in time")
    case .denied: error = LineError(.denied, "the user answered no")
    case .locked: error = Self.lockedError
    case .expired: error = noFixError(for: request, of: session)
    }
    return [.endRequest(request, error)]
  }

  mutating func end(_ request: RequestID, _ error: LineError, at now: MonotonicInstant) -> [Action] {
    guard let session = sessions.session(of: request) else { return [] }
    let refused = refused(error.code.slug, request, session.app)
    return updates.handle(.remove(request), at: now) + refused
      + sessions.handle(.end(request, error), at: now) + [
        .log(
          LogMessage(
            .gateway, .info, "request ended", ["app": "\(session.app)", "code": "\(error.code.rawValue)"]))
      ]
  }

  /// Counts a request that ended without a fix. A stream of updates with at least one fix is not counted, because the
  /// log already contains it.
  private func refused(_ answer: String, _ request: RequestID, _ app: AppID) -> [Action] {
    updates[request].map { $0.count > 0 } ?? false ? [] : [.refused(answer, app)]
  }

  /// Removes the queued fixes of a stream of updates. No further byte of these fixes is sent.
  private func recallUpdates(_ request: RequestID) -> [Action] {
    guard let session = sessions.session(of: request), session.updates?.id == request,
      let connection = session.connection
    else { return [] }
    return [.recall(connection, .updates)]
  }

  mutating func closeIntervals(
    _ ends: [(request: RequestID, end: IntervalEnd)], at now: MonotonicInstant
  ) -> [Action] {
    var actions: [Action] = []
    var events: [LogEntry.Event] = []
    for (request, end) in ends {
      guard let stream = updates[request], let entry = stream.entry else { continue }
      actions += updates.handle(.closed(request), at: now)
      events.append(.end(end, fixes: stream.count, of: entry))
    }
    return actions + log.handle(.close(events), at: now)
  }

  /// Returns the error for a request without a fix. For an app without full accuracy, the error contains no information
  /// about the receiver.
  private func noFixError(for request: RequestID, of session: Session) -> LineError {
    let wanted = session.request.flatMap { $0.id == request ? $0.options.accuracy : nil }
    switch authorization.accuracy(of: session.app, in: session.id, wanted: wanted) {
    case .full: break
    case .reduced:
      return LineError(
        .noFix, "no approximate location is known yet (the gateway determines one each quarter of an hour)")
    case .place:
      return LineError(.noFix, "no place is known yet (the gateway determines the place each quarter of an hour)")
    }
    return switch receiver.condition.state {
    case .absent: LineError(.receiverAbsent, "the receiver is absent (is it connected?)")
    case .off: LineError(.receiverAbsent, "the receiver cannot be switched on (onefix status shows the cause)")
    case .starting: LineError(.noFix, "the receiver sends no valid data (is its baud rate right?)")
    case .acquiring, .ready: LineError(.noFix, "the receiver found no fix in time (does its antenna see the sky?)")
    }
  }

  // MARK: Notifications

  private mutating func notify(
    _ session: SessionID?, of notification: PressNotification, at now: MonotonicInstant
  ) -> [Action] {
    var actions: [Action] = []
    var refusal: String?
    switch notification {
    case .authorized: break
    case .restricted: refusal = "restricted"
    case .locked: refusal = "locked"
    case .nothingArmed: refusal = "nothing-armed"
    case .armedTooLate: refusal = "armed-too-late"
    case .illegible(let restriction):
      refusal = restriction
      let remedy = LegibilityRestriction(rawValue: restriction)?.remedy ?? "see onefixd check"
      // The short signal `.nothingWaiting` means that the press granted no request.
      actions += indicator.handle(.sign(.nothingWaiting), at: now)
      actions.append(
        .log(
          LogMessage(
            .indicator, .warning, "cannot grant a press: \(restriction) (\(remedy))",
            ["restriction": restriction, "remedy": remedy])))
    }
    if let refusal { actions.append(.count(.pressRefused(refusal))) }
    let json = JSONObject.text(["authorized": refusal == nil, "reason": refusal])
    if let session { return actions + sessions.handle(.notify(.buttonPress, json, .session(session)), at: now) }
    return actions + sessions.handle(.notify(.buttonPress, json, .all), at: now) + [.notifyOwners(.buttonPress, json)]
  }

  func authorizationJSON(_ app: AppID, in session: SessionID) -> String {
    JSONObject.text([
      "status": authorization.visibleStatus(of: app, in: session).rawValue,
      "accuracy": authorization.accuracy(of: app, in: session).rawValue,
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
  /// Returns the source of the decision that closed the prompt; nil if no person closed it. If a person answered the
  /// prompt and the source is not known, the source is the button.
  fileprivate func source(_ source: DecisionSource?) -> DecisionSource? {
    switch self {
    case .yes, .no: source ?? .button
    case .withdrawn, .locked: source
    case .unanswered: nil
    }
  }
}
