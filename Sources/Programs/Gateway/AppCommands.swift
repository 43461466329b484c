import Authorization
import Clocks
import Hardware
import Encoding
package import LineProtocol
package import Ports
import Logging
import StateStore
import OperatingSystem

/// What apps say.
extension Gateway: LineService {
  package nonisolated var name: String { setup.gateway }

  package nonisolated func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields {
    var fields: ServerLine.Fields = [
      "proto": "1", "server": "onefix/\(setup.version)", "id": setup.gateway, "maxline": "\(longestLine)",
      "maxsubs": "\(Subscriptions.most)",
    ]
    if setup.allowsRegions { fields["maxregions"] = "\(SealedRegions.most)" }
    fields["auth"] = methods
    fields["nonce"] = nonce
    fields["caps"] = setup.allowsRegions ? "qos1,retain,regions,crc" : "qos1,retain,crc"
    return fields
  }

  package nonisolated func hello(
    _ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection
  ) async -> Bool {
    guard let app = identity?.app else { return await admit(hello, tag: tag, as: nil, on: connection) }
    await limiter.beginTurn(of: app)
    let isAdmitted = await admit(hello, tag: tag, as: identity, on: connection)
    if isAdmitted { limiter.add(connection, of: app) }
    limiter.endTurn(of: app)
    return isAdmitted
  }

  package nonisolated func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async {
    guard let app = limiter.app(on: connection) else { return await execute(command, tag: tag, on: connection) }
    guard limiter.take(of: app, at: SystemClock.monotonic) else {
      let error = LineError(.rateLimited, "the sessions of this app send too many commands together")
      return connection.send(.error(error, tag: tag, ["retry-after": "1"]))
    }
    await limiter.beginTurn(of: app)
    await execute(command, tag: tag, on: connection)
    limiter.endTurn(of: app)
  }

  package nonisolated func closed(_ connection: any ClientConnection, isFinal: Bool) async {
    guard let app = limiter.app(on: connection) else { return await remove(connection, isFinal: isFinal) }
    await limiter.beginTurn(of: app)
    await remove(connection, isFinal: isFinal)
    limiter.remove(connection)
    limiter.endTurn(of: app)
  }

  private func admit(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) -> Bool
  {
    guard let identity else {
      owners[connection.number] = OwnerSession(connection: connection)
      connection.send(.ok(tag: tag, ["proto": "1", "role": "owner"]))
      return true
    }
    // Its key may have been revoked on the way here.
    guard keyring.holds(identity) else { return refuse(Self.revoked, tag, connection) }
    guard reconfiguration?.admits(identity, connection.peer, connection.transport) ?? true else {
      return refuse(Self.disowned, tag, connection)
    }
    let app = identity.app
    if hello.session == nil, connection.transport == .serial { endFormerSessions(of: app, at: connection.peer) }
    // A grace period that is over is over.
    if let deadline = nextAuthorizationDeadline, deadline <= SystemClock.monotonic { handle(.timePassed) }
    let id: SessionID
    if let token = hello.session, let session = sessions.of(app).first(where: { isSame($0, token, app, connection) }),
      resume(session.id, connection)
    {
      id = session.id
    } else if sessions.count(of: app) >= Session.most {
      return refuse(LineError(.tooMany, "this app has \(Session.most) sessions; end one first"), tag, connection)
    } else {
      id = SessionID(nextNumber())
      let told = toldIndications[app] ?? Indication.off.rawValue
      sessions.insert(Session(id: id, app: app, connection: connection, toldIndication: told))
      opened(connection)
      handle(.sessionOpened(id, app))
    }
    sessions[id]?.proof = identity.proof
    guard let session = sessions[id] else { return false }
    connection.send(
      .ok(
        tag: tag,
        [
          "proto": "1", "session": session.token,
          "authorization": authorization.visibleStatus(of: app, in: id).rawValue,
          "accuracy": authorization.accuracy(of: app, in: id).rawValue,
        ]))
    loggers.server.info(
      "connected", metadata: ["app": "\(app)", "peer": "\(connection.peer)", "over": "\(connection.transport)"])
    let now = SystemClock.monotonic
    session.tellUntold()
    for index in deliveries.indices where deliveries[index].session == id { redeliver(index, at: now, isDue: false) }
    servePending(of: session, at: now)
    settle(at: now)
    return true
  }

  /// Nobody is welcome. A client of gpsd has no other HELLO to say.
  private func refuse(_ error: LineError, _ tag: String?, _ connection: any ClientConnection) -> Bool {
    if error.code.closes || connection.transport == .gpsd {
      connection.refuse(error, tag: tag)
    } else {
      connection.send(.error(error, tag: tag, [:]))
    }
    return false
  }

  /// There is one client at a port: one that comes without its token has forgotten it.
  private func endFormerSessions(of app: AppID, at port: Peer) {
    for session in sessions.of(app) where session.peer == port && session.connection == nil { end(session.id) }
  }

  /// A token resumes the session it was given for: of the same app, transport and peer, while its client is away.
  private func isSame(_ session: Session, _ token: String, _ app: AppID, _ connection: any ClientConnection) -> Bool {
    session.token == token && session.app == app && session.peer == connection.peer
      && session.transport == connection.transport && session.connection == nil
  }

  /// Whether it was in time.
  private func resume(_ id: SessionID, _ connection: any ClientConnection) -> Bool {
    handle(.sessionResumed(id))
    guard let session = sessions[id] else { return false }
    sessions.move(session, to: connection)
    session.token = randomDigits()
    return true
  }

  private func remove(_ connection: any ClientConnection, isFinal: Bool) {
    if owners.removeValue(forKey: connection.number) != nil { settle(at: SystemClock.monotonic) }
    outbox.bridges.removeAll { $0.connection === connection }
    guard let session = sessions.on(connection) else { return }
    sessions.move(session, to: nil)
    if isFinal { end(session.id) } else { handle(.sessionLost(session.id)) }
  }

  func end(_ id: SessionID) {
    handle(.sessionEnded(id))
    forget(id)
    settle(at: SystemClock.monotonic)
  }

  /// A session is over: its client left, or did not come back in time.
  func forget(_ id: SessionID) {
    erase { $0.session == id }
    guard let session = sessions.remove(id) else { return }
    if let request = session.request { requesters[request.id] = nil }
    if let updates = session.updates { requesters[updates.id] = nil }
    if let question = session.question { requesters[question.id] = nil }
    dropRegions(of: session.app)
    if sessions.count(of: session.app) == 0 { toldIndications[session.app] = nil }
    loggers.server.info("disconnected", metadata: ["app": "\(session.app)"])
  }

  private func session(on connection: any ClientConnection) -> SessionID? { sessions.on(connection)?.id }

  private func execute(_ command: Command, tag: String?, on connection: any ClientConnection) async {
    do {
      switch command {
      case .subscribe(let filter, let sid, let qos):
        try subscribe(filter, sid: sid, qos: qos, tag: tag, on: connection)
      case .unsubscribe(let sid, let after):
        try unsubscribe(sid, after: after, on: connection)
        connection.send(.ok(tag: tag, [:]))
      case .owner(let command):
        try await perform(command, tag: tag, on: connection)
      case .status where connection.role == .owner:
        connection.send(.ok(tag: tag, ownerStatus))
      case .requestOnce, .cancel, .startUpdates, .stopUpdates, .authorize, .state, .region, .acknowledge, .status:
        guard let id = session(on: connection) else {
          throw LineError(.unknownVerb, "this socket is for owners; apps speak on the other")
        }
        try perform(command, tag: tag, of: id, on: connection)
      case .hello, .authenticate, .ping, .help, .bye:
        // The conversation has answered these.
        break
      }
    } catch let error as LineError {
      connection.send(.error(error, tag: tag, [:]))
    } catch {
      loggers.gateway.error("a command failed", metadata: ["cause": "\(error)"])
      connection.send(.error(LineError(.internal, "the gateway failed; its log says why"), tag: tag, [:]))
    }
  }

  private func perform(_ command: Command, tag: String?, of id: SessionID, on connection: any ClientConnection) throws {
    switch command {
    case .requestOnce(let options):
      do { try checkRoom(for: connection) } catch {
        count(error.code.slug, for: sessions[id]?.app)
        throw error
      }
      if !options.requiresPress, isOverQuota(id, isOnce: true, tag, connection) { return }
      let isImplicit = connection.transport.isForWatching
      let timeout =
        isImplicit
        ? Authorization.Bounds.longestImplicitArm
        : options.timeout.map { Duration.seconds($0) } ?? policy.authorization.armTimeout
      begin(.once(options), tag, id, connection) {
        .requested(
          $0, id, timeout: timeout, requiresPress: options.requiresPress, isImplicit: isImplicit)
      }
    case .startUpdates(let options):
      if isOverQuota(id, isOnce: false, tag, connection) { return }
      begin(.updates(options), tag, id, connection) { .started($0, id, background: options.isBackground) }
    case .stopUpdates:
      handle(.stopped(id))
      connection.send(.ok(tag: tag, [:]))
    case .authorize(let wish, let purpose):
      begin(.authorization(purpose: purpose), tag, id, connection) { .asked($0, id, wish.wish) }
    case .state(let isInBackground):
      handle(.stateChanged(id, isInBackground: isInBackground))
      connection.send(.ok(tag: tag, [:]))
    case .region(let command):
      try perform(command, tag: tag, of: id, on: connection)
    case .cancel:
      handle(.cancelled(id))
      connection.send(.ok(tag: tag, [:]))
    case .acknowledge(let message):
      guard let index = deliveries.firstIndex(where: { $0.session == id && $0.messageID == message }) else {
        throw LineError(.expired, "no message \(message) waits to be acknowledged")
      }
      close(deliveries.remove(at: index).entry, .acknowledged)
      connection.send(.ok(tag: tag, [:]))
      settle(at: SystemClock.monotonic)
    case .status:
      connection.send(.ok(tag: tag, appStatus(id)))
    case .hello, .authenticate, .subscribe, .unsubscribe, .ping, .help, .bye, .owner:
      break
    }
  }

  /// Refuses a command that needs no press if its app has added too much to the log. What the app sees decides, and not
  /// what it has, since the refusal would tell the difference (B5).
  /// - Returns: whether the command was refused.
  private func isOverQuota(_ id: SessionID, isOnce: Bool, _ tag: String?, _ connection: any ClientConnection) -> Bool {
    guard let app = sessions[id]?.app else { return false }
    switch authorization.visibleStatus(of: app, in: id) {
    case .always: break
    case .whenInUse: guard authorization.isInUse(id) else { return false }
    case .notDetermined, .denied, .restricted: return false
    }
    guard let wait = logQuota.wait(of: app, isOnce: isOnce, at: SystemClock.monotonic) else { return false }
    let error = LineError(.rateLimited, "this app adds too much to the log of disclosures")
    count(error.code.slug, for: app)
    connection.send(.error(error, tag: tag, ["retry-after": "\((wait.milliseconds + 999) / 1000)"]))
    return true
  }

  private func begin(
    _ kind: IncomingRequest.Kind, _ tag: String?, _ id: SessionID, _ connection: any ClientConnection,
    _ event: (RequestID) -> Event
  ) {
    let request = RequestID(nextNumber())
    incoming[request] = IncomingRequest(session: id, kind: kind, tag: tag, connection: connection)
    handle(event(request))
  }

  private func subscribe(
    _ filter: TopicFilter, sid: String, qos: Int?, tag: String?, on connection: any ClientConnection
  ) throws {
    let isOwner = connection.role == .owner
    let isOfTopic = Topic.allCases.contains { filter.matches($0) && (isOwner || !$0.isOwners) }
    guard isOfTopic || !isOwner && filter.matchesSomeRegion else {
      throw LineError(.badTopic, "there is no topic like \(filter.description.prefix(40))")
    }
    if isOwner {
      try owners[connection.number]?.subscriptions.add(filter, sid: sid, qos: 0)
      connection.send(.ok(tag: tag, [:]))
      tellRetained(filter, sid, on: connection) { topic in
        switch topic {
        case .indicator: "{\"state\":\"\(indicationName)\"}"
        case .receiver: ownerReceiverJSON
        // Listed below: there may be several.
        case .ownerPrompt, .authorization, .fixOnce, .fixUpdates, .buttonPress, .regions, .ownerNotification,
          .ownerApps, .ownerLog,
          .ownerRegions, .ownerSessions, .ownerSky, .ownerMetrics:
          nil
        }
      }
      if filter.matches(.ownerPrompt) {
        for prompt in authorization.prompts {
          let json = promptJSON(prompt, state: "open")
          connection.send(.message(.init(topic: Topic.ownerPrompt.rawValue, sid: sid, isRetained: true, json: json)))
        }
      }
      tellUntold(filter, sid, on: connection)
      settle(at: SystemClock.monotonic)
    } else if let id = session(on: connection), let app = sessions[id]?.app {
      try sessions[id]?.subscriptions.add(filter, sid: sid, qos: qos ?? 1)
      derived.expire()
      connection.send(.ok(tag: tag, [:]))
      let indication = appIndication(app, at: SystemClock.monotonic)
      sessions[id]?.toldIndication = indication
      tellRetained(filter, sid, on: connection) { topic in
        switch topic {
        case .indicator: "{\"state\":\"\(indication)\"}"
        case .receiver: receiverJSON
        case .authorization: authorizationJSON(app, in: id)
        case .fixOnce, .fixUpdates, .buttonPress, .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerLog,
          .ownerRegions, .ownerSessions, .ownerSky, .ownerMetrics:
          nil
        }
      }
    }
  }

  /// What owners were to be shown while nobody of them was there.
  private func tellUntold(_ filter: TopicFilter, _ sid: String, on connection: any ClientConnection) {
    guard filter.matches(.ownerNotification) else { return }
    for json in untoldNotifications {
      connection.send(.message(.init(topic: Topic.ownerNotification.rawValue, sid: sid, isRetained: true, json: json)))
    }
    untoldNotifications = []
  }

  private func tellRetained(
    _ filter: TopicFilter, _ sid: String, on connection: any ClientConnection, _ state: (Topic) -> String?
  ) {
    for topic in Topic.allCases where filter.matches(topic) {
      guard let json = state(topic) else { continue }
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, isRetained: true, json: json)))
    }
  }

  private func unsubscribe(_ sid: String, after: Int?, on connection: any ClientConnection) throws {
    if connection.role == .owner {
      try owners[connection.number]?.subscriptions.remove(sid: sid, after: after)
      settle(at: SystemClock.monotonic)
    } else if let id = session(on: connection) {
      try sessions[id]?.subscriptions.remove(sid: sid, after: after)
      derived.expire()
    }
  }

  private func appStatus(_ id: SessionID) -> ServerLine.Fields {
    guard let session = sessions[id] else { return [:] }
    let isArmed = session.request.map { authorization.arms[$0.id] != nil } ?? false
    // What waits for an answer to B5 looks like what waits for a fix.
    let isAcquiring = !isArmed && session.request != nil
    return [
      "authorization": authorization.visibleStatus(of: session.app, in: id).rawValue,
      "accuracy": authorization.accuracy(of: session.app, in: id).rawValue,
      "state": isArmed ? "awaiting-press" : isAcquiring ? "acquiring" : session.updates != nil ? "updates" : "idle",
      "indicator": appIndication(session.app, at: SystemClock.monotonic),
      "receiver": reception.condition.state == .absent ? "absent" : "present",
    ]
  }
}

extension AuthorizationWish {
  fileprivate var wish: Wish {
    switch self {
    case .whenInUse: .whenInUse
    case .always: .always
    case .fullAccuracy: .fullAccuracy
    }
  }
}
