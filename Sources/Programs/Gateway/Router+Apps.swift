import Authorization
import Base
import Decoding
import LineProtocol
import Logging
import OperatingSystem
import Ports

extension Router {
  // MARK: Sessions

  /// Opens or resumes the session of an app, or accepts the connection of an owner (administrator).
  /// - Parameter identity: The identity of the app; nil for an owner.
  /// - Returns: Whether the client was accepted.
  mutating func admit(
    _ hello: Hello, tag: String?, _ identity: Identity?, _ connection: any ClientConnection, at now: ClockReading
  ) -> Bool {
    guard let identity else {
      owners.open(connection)
      connection.send(.ok(tag: tag, ["proto": "1", "role": "owner"]))
      return true
    }
    func refuse(_ error: LineError) -> Bool {
      // A client that only watches cannot send another HELLO, so its connection is closed.
      if error.code.closes || connection.transport.isForWatching {
        connection.refuse(error, tag: tag)
      } else {
        connection.send(.error(error, tag: tag, [:]))
      }
      return false
    }
    if let error = configuration.refusal(of: identity, connection, keyring) { return refuse(error) }
    let app = identity.app
    if hello.session == nil, connection.transport == .serial { endFormerSessions(of: app, connection.peer, at: now) }
    // `timePassed` ends the sessions whose grace period has passed, so that they cannot be resumed.
    handle(.timePassed, at: now)
    guard let id = resume(hello, app, identity, connection, at: now) ?? open(app, identity, connection, at: now) else {
      return refuse(LineError(.tooMany, "this app has \(Session.most) sessions (end one first)"))
    }
    guard let session = sessions[id] else { return false }
    connection.send(
      .ok(
        tag: tag,
        [
          "proto": "1", "session": session.token,
          "authorization": authorization.visibleStatus(of: app, in: id).rawValue,
          "accuracy": authorization.accuracy(of: app, in: id).rawValue,
        ]))
    outputs.log(
      .server, .info, "connected", ["app": "\(app)", "peer": "\(connection.peer)", "over": "\(connection.transport)"])
    session.sendMissed()
    for delivery in disclosures.resume(id) { redeliver(delivery, at: now) }
    servePending(of: id, at: now)
    return true
  }

  /// Ends the disconnected sessions of an app at a serial port. The only client at this port has sent no session token
  /// (the secret to resume a session), so no client can resume these sessions.
  private mutating func endFormerSessions(of app: AppID, _ port: Peer, at now: ClockReading) {
    for session in sessions.of(app) where session.peer == port && session.connection == nil { end(session.id, at: now) }
  }

  /// Resumes the session whose token the client has sent. Returns nil if there is no such session with the same
  /// transport and peer (address) as before.
  ///
  /// A client often notices the loss of a connection before the gateway. The gateway then closes the former connection
  /// (MQTT 5.0 §3.1.4, "session taken over").
  private mutating func resume(
    _ hello: Hello, _ app: AppID, _ identity: Identity, _ connection: any ClientConnection, at now: ClockReading
  ) -> SessionID? {
    guard let token = hello.session,
      let session = sessions.of(app).first(where: {
        $0.token == token && $0.peer == connection.peer && $0.transport == connection.transport
      })
    else { return nil }
    if let former = session.connection {
      former.recall(.all)
      close(former, isFinal: false, at: now)
      former.refuse(LineError(.keepaliveTimeout, "the client resumed its session on another connection"))
    }
    handle(.sessionResumed(session.id), at: now)
    guard sessions[session.id] != nil else { return nil }
    sessions.attach(session.id, to: connection, identity.proof)
    return session.id
  }

  /// Opens a session of an app.
  /// - Returns: The identifier of the new session; nil if the app already has the maximum count of sessions.
  private mutating func open(
    _ app: AppID, _ identity: Identity, _ connection: any ClientConnection, at now: ClockReading
  ) -> SessionID? {
    guard sessions.count(of: app) < Session.most else { return nil }
    let id = sessions.open(
      app, connection, identity.proof, indication: indication(for: app), at: now.monotonic)
    disclosures.outbox.open(connection, at: now.monotonic)
    handle(.sessionOpened(id, app), at: now)
    return id
  }

  /// Removes a closed connection of an app or of an owner (administrator).
  /// - Parameter isFinal: Whether the session of the app also ends. If false, the client can resume the session within
  ///   its grace period.
  mutating func close(_ connection: any ClientConnection, isFinal: Bool, at now: ClockReading) {
    owners.close(connection)
    disclosures.outbox.close(connection)
    if let session = sessions.session(on: connection) {
      sessions.detach(session.id)
      if isFinal { end(session.id, at: now) } else { handle(.sessionLost(session.id), at: now) }
    }
  }

  /// Ends a session, and removes the session from the table of sessions.
  mutating func end(_ id: SessionID, at now: ClockReading) {
    handle(.sessionEnded(id), at: now)
    removeSession(id, at: now)
  }

  /// Removes a session and its unsent fixes from the table of sessions. Before this call, the session must end in the
  /// state machine of the authorizations.
  mutating func removeSession(_ id: SessionID, at now: ClockReading) {
    guard let app = sessions.remove(id) else { return }
    endErased(disclosures.erase(.session(id), &outputs), at: now)
    checkRegions(of: app)
    outputs.log(.server, .info, "disconnected", ["app": "\(app)"])
  }

  /// Ends a session, and closes its connection with an error.
  mutating func expel(_ session: Session, _ error: LineError, at now: ClockReading) {
    // Fixes are recalled from the queue before the writes for the end of the session, because a write takes time.
    let connection = session.connection
    connection?.recall(.all)
    end(session.id, at: now)
    if let connection { disclosures.outbox.close(connection) }
    connection?.refuse(error)
  }

  // MARK: Commands

  /// Executes a command of an app or of an owner (administrator).
  /// - Returns: The list to send as the reply; nil if the reply is already sent.
  /// - Throws: The error for the client.
  mutating func execute(
    _ command: Command, tag: String?, on connection: any ClientConnection, at now: ClockReading
  ) throws -> OwnerList? {
    guard connection.role == .owner else {
      try execute(app: command, tag: tag, on: connection, at: now)
      return nil
    }
    switch command {
    case .owner(let command): return try execute(owner: command, tag: tag, on: connection, at: now)
    case .status: connection.send(.ok(tag: tag, ownerStatus(at: now)))
    case .subscribe(let filter, let sid, _): try subscribe(connection, filter, sid: sid, tag: tag, at: now)
    case .unsubscribe(let sid, let after):
      try owners.unsubscribe(connection, sid: sid, after: after)
      connection.send(.ok(tag: tag, [:]))
    case .hello, .authenticate, .ping, .help, .bye: break
    case .requestOnce, .cancel, .startUpdates, .stopUpdates, .authorize, .state, .region, .acknowledge:
      throw LineError(.unknownVerb, "this socket is for owners (apps use the apps' socket)")
    }
    return nil
  }

  private mutating func execute(
    app command: Command, tag: String?, on connection: any ClientConnection, at now: ClockReading
  ) throws(LineError) {
    guard let session = sessions.session(on: connection) else {
      throw LineError(.internal, "the session has ended (connect again)")
    }
    let id = session.id
    func acknowledge(_ fields: ServerLine.Fields = [:]) { connection.send(.ok(tag: tag, fields)) }
    switch command {
    case .subscribe(let filter, let sid, let qos):
      try subscribe(session, filter, sid: sid, qos, tag, connection, at: now)
    case .unsubscribe(let sid, let after):
      try session.subscriptions.remove(sid: sid, after: after)
      acknowledge()
    case .requestOnce(let options):
      if let error = disclosures.outbox.refusal(for: connection) {
        noteRefusal(error.code.slug, of: session.app, at: now)
        throw error
      }
      if !options.requiresPress, isOverQuota(session, isOnce: true, tag, connection, at: now) { return }
      let isWatching = connection.transport.isForWatching
      let kind: RequestKind = !isWatching ? .explicit : connection.isPolled ? .polling : .watching
      let timeout =
        kind.isImplicit
        ? Authorization.Bounds.longestImplicitArm
        : options.timeout.map { Duration.seconds($0) } ?? configuration.policy.authorization.armTimeout
      begin(.once(options), session, tag, connection, at: now) {
        .requested($0, id, timeout: timeout, requiresPress: options.requiresPress, kind: kind)
      }
    case .startUpdates(let options):
      if isOverQuota(session, isOnce: false, tag, connection, at: now) { return }
      begin(.updates(options), session, tag, connection, at: now) {
        .started($0, id, background: options.isBackground)
      }
    case .stopUpdates:
      handle(.stopped(id), at: now)
      acknowledge()
    case .authorize(let requested, let purpose):
      begin(.authorization(purpose: purpose), session, tag, connection, at: now) { .asked($0, id, requested) }
    case .state(let isInBackground):
      handle(.stateChanged(id, isInBackground: isInBackground), at: now)
      acknowledge()
    case .region(let command): try execute(region: command, tag: tag, session, connection, at: now)
    case .cancel:
      handle(.cancelled(id), at: now)
      endErased(disclosures.erase(.kept(id), &outputs), at: now)
      acknowledge()
    case .acknowledge(let message):
      guard disclosures.acknowledge(id, messageID: message, &outputs) else {
        throw LineError(.expired, "no message \(message) waits for an acknowledgement")
      }
      acknowledge()
    case .status: acknowledge(status(of: session))
    case .hello, .authenticate, .ping, .help, .bye, .owner: break
    }
  }

  /// Stores a request, and passes the event of this request to the state machine of the authorizations.
  mutating func begin(
    _ kind: IncomingRequest.Kind, _ session: Session, _ tag: String?, _ connection: any ClientConnection,
    at now: ClockReading, _ event: (RequestID) -> Event
  ) {
    let request = sessions.begin(
      IncomingRequest(session: session.id, kind: kind, tag: tag, connection: connection))
    handle(event(request), at: now)
  }

  /// Refuses a request without a press of the button if the app has used up its quota of log entries.
  ///
  /// The decision uses only the status that the app can see, because a refusal must not reveal the true status (row B5
  /// of the authorization reference).
  /// - Returns: Whether the request was refused.
  private mutating func isOverQuota(
    _ session: Session, isOnce: Bool, _ tag: String?, _ connection: any ClientConnection, at now: ClockReading
  ) -> Bool {
    switch authorization.visibleStatus(of: session.app, in: session.id) {
    case .always: break
    case .whenInUse: guard authorization.isInUse(session.id) else { return false }
    case .notDetermined, .denied, .restricted: return false
    }
    guard let wait = disclosures.log.wait(of: session.app, isOnce: isOnce, at: now.monotonic) else { return false }
    let error = LineError(.rateLimited, "this app has caused too many entries in the log of disclosures")
    noteRefusal(error.code.slug, of: session.app, at: now)
    connection.send(.error(error, tag: tag, ["retry-after": "\(wait.secondsRoundedUp)"]))
    return true
  }

  private mutating func subscribe(
    _ session: Session, _ filter: TopicFilter, sid: String, _ qos: Int?, _ tag: String?,
    _ connection: any ClientConnection, at now: ClockReading
  ) throws(LineError) {
    guard Topic.allCases.contains(where: { filter.matches($0) && !$0.isOwners }) || filter.matchesSomeRegion else {
      throw Self.unknownTopic(filter)
    }
    try session.subscriptions.add(filter, sid: sid, qos: qos ?? 1)
    connection.send(.ok(tag: tag, [:]))
    let indication = indication(for: session.app)
    session.indication = indication
    let states = [
      (Topic.indicator, JSONObject.text(["state": indication])),
      (.authorization, authorizationJSON(session.app, in: session.id, at: now)), (.receiver, receiverJSON),
    ]
    Self.sendRetained(states, filter, sid, connection)
  }

  static func unknownTopic(_ filter: TopicFilter) -> LineError {
    LineError(.badTopic, "no topic matches \(filter.description.prefix(40))")
  }

  /// Sends the present states to a new subscription, for each topic that matches the filter.
  static func sendRetained(
    _ states: [(Topic, String)], _ filter: TopicFilter, _ sid: String, _ connection: any ClientConnection
  ) {
    for (topic, json) in states where filter.matches(topic) {
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, isRetained: true, json: json)))
    }
  }

  private mutating func status(of session: Session) -> ServerLine.Fields {
    let isArmed = session.request.map { authorization.arms[$0.id] != nil } ?? false
    // After the answer "while using" to a request for `always`, the app sees the status `always`. A later prompt asks
    // the person again, but the app must not notice this prompt (row B5). Until the answer, the gateway reports that
    // the app's request waits for a fix.
    let isAcquiring = !isArmed && session.request != nil
    return [
      "authorization": authorization.visibleStatus(of: session.app, in: session.id).rawValue,
      "accuracy": authorization.accuracy(of: session.app, in: session.id).rawValue,
      "state": isArmed ? "awaiting-press" : isAcquiring ? "acquiring" : session.updates != nil ? "updates" : "idle",
      "indicator": indication(for: session.app),
      "receiver": receiver.condition.state == .absent ? "absent" : "present",
    ]
  }

  // MARK: Regions

  private mutating func execute(
    region command: RegionCommand, tag: String?, _ session: Session, _ connection: any ClientConnection,
    at now: ClockReading
  ) throws(LineError) {
    guard dependencies.allowsRegions else {
      throw LineError(.restricted, "the configuration does not allow regions (regions = true allows them)")
    }
    let change: RegionWatcher.Change
    switch command {
    case .list:
      let own = regions.regions(of: session.app)
      for region in own {
        connection.send(.message(.init(topic: Topic.regions.rawValue, sid: "-", json: region.json)))
      }
      return connection.send(.ok(tag: tag, ["count": "\(own.count)"]))
    case .add(let region):
      if let error = regionRefusal(session) { throw error }
      change = .add(region)
    case .remove(let id): change = .remove(id)
    }
    do {
      try regions.execute(change, of: session.app, at: now, in: &disclosures.log, &outputs)
      connection.send(.ok(tag: tag, [:]))
    } catch {
      connection.send(.error(error.error, tag: tag, error.fields))
    }
  }

  /// Returns the error for an app that may not have regions; nil if the app may have regions.
  private func regionRefusal(_ session: Session) -> LineError? {
    if authorization.isLocked { return Self.lockedError }
    return switch authorization.visibleStatus(of: session.app, in: session.id) {
    case .whenInUse, .always: nil
    case .notDetermined: LineError(.notDetermined, "regions need a standing authorization (AUTHORIZE asks the user)")
    case .denied: LineError(.denied, "this app is denied")
    case .restricted: LineError(.restricted, "the configuration does not allow this app to receive a location")
    }
  }
}
