import Authorization
import Base
import Decoding
import Disclosure
import Hardware
import LineProtocol
import Logging
import OperatingSystem
import Ports
import StateStore

// The answers to the requests of apps, and the ends of the requests.
extension Router {
  /// Sends the reply that a request is accepted, and begins the stream of a request for updates (repeated fixes).
  /// - Parameter state: The state of the request in the reply: `awaiting-press` or `acquiring`.
  mutating func accept(_ request: RequestID, _ state: String, at now: ClockReading) {
    guard let command = sessions.accept(request, state: state, at: now.monotonic),
      let app = sessions[command.session]?.app
    else { return }
    if case .updates(let options) = command.kind {
      disclosures.begin(UpdateStream(request, command.session, of: app, options))
    }
    outputs.log(.gateway, .info, "accepted", ["app": app.name, "state": state])
  }

  /// Answers a request with the present authorization of the app.
  /// - Parameter more: Additional fields of the reply.
  mutating func answer(_ request: RequestID, _ more: ServerLine.Fields) {
    guard let command = sessions.incoming(request), let app = sessions[command.session]?.app else { return }
    var fields = more
    fields["authorization"] = authorization.visibleStatus(of: app, in: command.session).rawValue
    fields["accuracy"] = authorization.accuracy(of: app, in: command.session).rawValue
    sessions.answer(request, fields)
  }

  /// Counts a request of an app that ended without a fix. The counter depends on the answer that the app got.
  mutating func noteRefusal(_ answer: String, of app: AppID, at now: ClockReading) {
    outputs.count(.refusals, of: app, answer)
    disclosures.log.upkeep.count(AnswerKey(period: now.utc.hour, app: app, answer: answer))
  }

  /// Returns the error for a refused request, and additional fields of the reply.
  static func refusal(_ refusal: Refusal) -> (LineError, ServerLine.Fields) {
    switch refusal {
    case .locked: (lockedError, [:])
    case .alreadyArmed:
      (
        LineError(.alreadyArmed, "this app already waits for a press or a fix (send CANCEL in the session that asked)"),
        [:]
      )
    case .alreadyStarted: (LineError(.alreadyArmed, "this session already has updates (send STOP updates first)"), [:])
    case .notDetermined: (LineError(.notDetermined, "no user has decided yet (AUTHORIZE asks the user)"), [:])
    case .denied: (LineError(.denied, "this app is denied (REQ once may ask the user again)"), [:])
    case .restricted: (LineError(.restricted, "the configuration does not allow this app to receive a location"), [:])
    case .notInUse: (LineError(.notInUse, "the app is not in use (a press that serves the app begins use)"), [:])
    case .illegible(let restriction): (illegible(restriction), [:])
    case .tooSoon(let retryAfter):
      (
        LineError(.rateLimited, "this app may not cause another question yet (ask again later)"),
        ["retry-after": "\(retryAfter.secondsRoundedUp)"]
      )
    case .noSession: (LineError(.internal, "the session has ended (connect again)"), [:])
    }
  }

  static let lockedError = LineError(.locked, "the kill switch is on (hold the button to unlock)")

  private static func illegible(_ restriction: String) -> LineError {
    let remedy = LegibilityProblem(rawValue: restriction)?.remedy ?? restriction
    return LineError(.indicator, "the indicator cannot be shown (\(remedy))")
  }

  // MARK: Each-press requests

  /// Makes a request for each output (such as an MQTT broker) whose configuration has `on_press = true`. Such an output
  /// gets a fix at each press of the button. An output has at most one such request. The output has no request while its
  /// app is denied, and while too many fixes wait for the output.
  mutating func makeEachPressRequests(at now: ClockReading) {
    guard !authorization.isLocked else { return }
    for (session, connection) in idleOutputs where disclosures.outbox.refusal(for: connection) == nil {
      begin(.once(OnceRequest(requiresPress: true)), session, nil, connection, at: now) {
        .requested(
          $0, session.id, timeout: Authorization.Bounds.longestImplicitArm, requiresPress: true, kind: .eachPress)
      }
    }
  }

  /// Returns the outputs to which a press of a button gives no fix, because too many fixes wait for them.
  func fullOutputs(of button: String) -> [(app: AppID, address: String)] {
    idleOutputs.compactMap { session, connection in
      guard authorization.isButton(button, for: session.app), disclosures.outbox.refusal(for: connection) != nil
      else { return nil }
      return connection.sink.map { (session.app, $0.form.address) }
    }
  }

  /// The outputs without a request whose apps may have one.
  private var idleOutputs: [(session: Session, connection: any ClientConnection)] {
    sessions.eachPress.sorted().compactMap { id in
      guard let session = sessions[id], session.request == nil, let connection = session.connection,
        authorization.status(of: session.app).allowsImplicitRequests
      else { return nil }
      return (session, connection)
    }
  }

  // MARK: Ends

  /// The error for a request about which a press asked a question that no user answered.
  static let unconfirmedError = LineError(.noPress, "a user pressed once, and no user confirmed the press in time")

  /// Ends a request after the state machine of the authorizations has ended the request. The app gets the error for the
  /// given ending.
  mutating func end(_ request: RequestID, _ ending: Ending, at now: ClockReading) {
    guard let session = sessions.session(of: request) else { return }
    if session.question?.id == request {
      return sessions.end(request, ending == .noPress ? LineError(.noPress, "no user answered in time") : nil)
    }
    let error: LineError
    switch ending {
    case .cancelled, .sessionEnded:
      return endRequest(request, of: session.app, nil, countedAs: "cancelled", at: now)
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
    end(request, error, at: now)
  }

  /// Ends a request without a fix, and sends an error to the app.
  mutating func end(_ request: RequestID, _ error: LineError, at now: ClockReading) {
    guard let app = sessions.session(of: request)?.app else { return }
    endRequest(request, of: app, error, countedAs: error.code.slug, at: now)
    outputs.log(.gateway, .info, "request ended", ["app": "\(app)", "code": "\(error.code.rawValue)"])
  }

  /// Ends a request, and counts the request if it got no fix.
  /// - Parameters:
  ///   - error: The error for the app; nil if the app itself ended the request.
  ///   - answer: The name under which the request is counted.
  private mutating func endRequest(
    _ request: RequestID, of app: AppID, _ error: LineError?, countedAs answer: String, at now: ClockReading
  ) {
    // A stream of updates with at least one fix is not counted, because the log already contains it. A request that the
    // gateway made itself is not counted either.
    let isOwn = sessions.session(of: request).map { sessions.eachPress.contains($0.id) } ?? false
    if !disclosures.endUpdates(request), !isOwn { noteRefusal(answer, of: app, at: now) }
    sessions.end(request, error)
  }

  /// Returns the error for a request that got no fix. For an app without full accuracy, the error reveals nothing about
  /// the GNSS receiver.
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
}
