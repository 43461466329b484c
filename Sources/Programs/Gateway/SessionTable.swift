import Authorization
import Clocks
import Encoding
import LineProtocol
import Logging
import Ports
import Telemetry

struct SessionTable {
  enum Input {
    case open(SessionID, AppID, any ClientConnection, Identity.Proof, indication: String)
    /// The client connected again. The session receives a new token.
    case attach(SessionID, any ClientConnection, Identity.Proof)
    case detach(SessionID)
    case remove(SessionID)
    case sendMissed(SessionID)

    case begin(RequestID, IncomingRequest)
    /// The gateway accepted the request, which now waits for a press or for its fix.
    case accept(RequestID, state: String)
    case ask(RequestID)
    case answer(RequestID, ServerLine.Fields)
    case refuse(RequestID, LineError, ServerLine.Fields)
    /// The request ended without a fix. If the error is nil, the app is not notified.
    case end(RequestID, LineError?)
    /// The fix of the request was sent to the client, or was stored for a broker.
    case fulfil(RequestID, isSent: Bool)
    case updateSent(SessionID)
    case crossingSent(SessionID, region: String)

    case notify(Topic, String, Recipients)
    /// The state of the receiver that apps may see. The apps are notified of a change.
    case receiver(String)
    /// The indications of the apps whose indication may have changed.
    case indications([(app: AppID, indication: String)])
    /// The client subscribed to the indicator, and received this indication as a retained message.
    case indicationSent(SessionID, String)
  }

  enum Recipients {
    case session(SessionID)
    case all
  }

  /// A session. The gateway reads its connection for each update without a copy of the whole session. With copies, a
  /// fix to 1,000 subscribers would take 5 % more processor time, and would miss its goal (`Scripts/bench fanout`).
  private final class Entry {
    var session: Session

    init(_ session: Session) { self.session = session }
  }

  private var sessions: [SessionID: Entry] = [:]
  private var byConnection: [UInt64: SessionID] = [:]
  private var byApp: [AppID: Set<SessionID>] = [:]
  /// The session of each accepted request that has not ended. The request is a one-time request, a request for updates
  /// or a request for an authorization.
  private var requesters: [RequestID: SessionID] = [:]
  /// The commands that the gateway has not answered yet, by their request ids.
  private var incoming: [RequestID: IncomingRequest] = [:]
  /// The receiver's state that was last reported to apps.
  private var receiver = ""

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .open(let id, let app, let connection, let proof, let indication):
      sessions[id] = Entry(
        Session(id: id, app: app, connection: connection, proof: proof, indication: indication, at: now))
      byApp[app, default: []].insert(id)
      byConnection[connection.number] = id
    case .attach(let id, let connection, let proof):
      if let former = sessions[id]?.session.connection { byConnection[former.number] = nil }
      byConnection[connection.number] = id
      sessions[id]?.session.connection = connection
      sessions[id]?.session.proof = proof
      sessions[id]?.session.token = randomDigits()
    case .detach(let id):
      if let former = sessions[id]?.session.connection { byConnection[former.number] = nil }
      sessions[id]?.session.connection = nil
    case .remove(let id): return remove(id)
    case .sendMissed(let id): return sessions[id]?.session.sendMissed() ?? []
    case .begin(let id, let request): incoming[id] = request
    case .accept(let id, let state): return accept(id, state, at: now)
    case .ask(let id): ask(id)
    case .answer(let id, let fields):
      guard let command = incoming.removeValue(forKey: id) else { return [] }
      return [.send(.ok(tag: command.tag, fields), to: command.connection)]
    case .refuse(let id, let error, let fields):
      guard let command = incoming.removeValue(forKey: id) else { return [] }
      let app = sessions[command.session]?.session.app
      return (app.map { [.refused(error.code.slug, $0)] } ?? [])
        + [.send(.error(error, tag: command.tag, fields), to: command.connection)]
    case .end(let id, let error): return end(id, error)
    case .fulfil(let id, let isSent): fulfil(id, isSent: isSent)
    case .updateSent(let id): sessions[id]?.session.subscriptions.consumeUpdate()
    case .crossingSent(let id, let region): sessions[id]?.session.subscriptions.consume(region: region)
    case .notify(let topic, let json, .session(let id)): return sessions[id]?.session.send(topic, json) ?? []
    case .notify(let topic, let json, .all):
      return sessions.keys.flatMap { sessions[$0]?.session.send(topic, json) ?? [] }
    case .receiver(let json):
      guard json != receiver else { break }
      receiver = json
      return handle(.notify(.receiver, json, .all), at: now)
    case .indications(let indications): return indications.flatMap { notify($0.app, $0.indication) }
    case .indicationSent(let id, let indication): sessions[id]?.session.indication = indication
    }
    return []
  }

  private mutating func remove(_ id: SessionID) -> [Action] {
    guard let session = sessions.removeValue(forKey: id)?.session else { return [] }
    if let connection = session.connection { byConnection[connection.number] = nil }
    for request in [session.request?.id, session.updates?.id, session.question?.id] {
      if let request { requesters[request] = nil }
    }
    byApp[session.app]?.remove(id)
    if byApp[session.app]?.isEmpty == true { byApp[session.app] = nil }
    return [.sessionEnded(id, session.app)]
  }

  // MARK: Requests

  private mutating func accept(_ id: RequestID, _ state: String, at now: MonotonicInstant) -> [Action] {
    guard let command = incoming.removeValue(forKey: id) else { return [] }
    requesters[id] = command.session
    var actions: [Action] = []
    switch command.kind {
    case .once(let options):
      sessions[command.session]?.session.request = PendingRequest(
        id: id, tag: command.tag, options: options, received: now)
    case .updates(let options):
      sessions[command.session]?.session.updates = (id, command.tag)
      actions.append(.accepted(id, command.session, options))
    case .authorization: requesters[id] = nil
    }
    let app = sessions[command.session]?.session.app.name ?? ""
    return actions + [
      .send(.ok(tag: command.tag, ["state": state]), to: command.connection),
      .log(LogMessage(.gateway, .info, "accepted", ["app": app, "state": state])),
    ]
  }

  /// Stores an authorization request with its purpose. The prompt shows this purpose, and no later text of the app.
  private mutating func ask(_ id: RequestID) {
    guard let command = incoming[id], case .authorization(let purpose) = command.kind else { return }
    if let former = sessions[command.session]?.session.question { requesters[former.id] = nil }
    requesters[id] = command.session
    sessions[command.session]?.session.question = AskedQuestion(id: id, tag: command.tag, purpose: purpose)
  }

  private mutating func end(_ id: RequestID, _ error: LineError?) -> [Action] {
    guard let session = requesters.removeValue(forKey: id), sessions[session] != nil else { return [] }
    var tag: String?
    if sessions[session]?.session.request?.id == id {
      tag = sessions[session]?.session.request?.tag
      sessions[session]?.session.request = nil
    } else if sessions[session]?.session.updates?.id == id {
      tag = sessions[session]?.session.updates?.tag
      sessions[session]?.session.updates = nil
    } else if sessions[session]?.session.question?.id == id {
      tag = sessions[session]?.session.question?.tag
      sessions[session]?.session.question = nil
    }
    guard let error else { return [] }
    return sessions[session]?.session.send(ending: .error(error, tag: tag, [:])) ?? []
  }

  private mutating func fulfil(_ id: RequestID, isSent: Bool) {
    guard let session = requesters.removeValue(forKey: id) else { return }
    sessions[session]?.session.request = nil
    guard isSent else { return }
    sessions[session]?.session.lastMessageID += 1
    sessions[session]?.session.subscriptions.consumeFix()
  }

  private func notify(_ app: AppID, _ indication: String) -> [Action] {
    (byApp[app] ?? []).sorted().flatMap { id -> [Action] in
      guard sessions[id]?.session.indication != indication else { return [] }
      sessions[id]?.session.indication = indication
      return sessions[id]?.session.send(.indicator, JSONObject.text(["state": indication])) ?? []
    }
  }

  // MARK: Subscriptions

  mutating func subscribe(_ id: SessionID, _ filter: TopicFilter, sid: String, qos: Int) throws(LineError) {
    try sessions[id]?.session.subscriptions.add(filter, sid: sid, qos: qos)
  }

  mutating func unsubscribe(_ id: SessionID, sid: String, after: Int?) throws(LineError) {
    try sessions[id]?.session.subscriptions.remove(sid: sid, after: after)
  }

  // MARK: State

  var count: Int { sessions.count }

  /// All sessions, oldest first.
  var sorted: [Session] { sessions.values.map(\.session).sorted { $0.id < $1.id } }

  /// The identifiers of all sessions, oldest first.
  var ids: [SessionID] { sessions.keys.sorted() }

  var apps: some Collection<AppID> { byApp.keys }

  subscript(id: SessionID) -> Session? { sessions[id]?.session }

  /// Returns the recipient of updates; nil if the client is disconnected.
  func updateRecipient(of id: SessionID) -> UpdateRecipient? {
    guard let entry = sessions[id], let connection = entry.session.connection else { return nil }
    return UpdateRecipient(
      connection: connection, sids: entry.session.subscriptions.updateSIDs,
      isLimited: entry.session.subscriptions.isLimited)
  }

  func session(on connection: any ClientConnection) -> Session? {
    byConnection[connection.number].flatMap { sessions[$0]?.session }
  }

  /// Returns the sessions of an app, oldest first.
  func of(_ app: AppID) -> [Session] { (byApp[app] ?? []).sorted().compactMap { sessions[$0]?.session } }

  func count(of app: AppID) -> Int { byApp[app]?.count ?? 0 }

  func count(over transport: Transport) -> Int { sessions.values.count { $0.session.transport == transport } }

  func session(of request: RequestID) -> Session? { requesters[request].flatMap { sessions[$0]?.session } }

  func incoming(_ request: RequestID) -> IncomingRequest? { incoming[request] }
}
