import Authorization
import Base
import LineProtocol
import Logging
import Ports
import Telemetry

struct SessionTable {
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
  /// The state of the kill switch at the last call of `appsToNotify`.
  private var wasLocked = false
  private var lastID: UInt64 = 0

  private mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func open(
    _ app: AppID, _ connection: any ClientConnection, _ proof: Identity.Proof, indication: String,
    at now: MonotonicInstant
  ) -> SessionID {
    let id = SessionID(nextID())
    sessions[id] = Entry(
      Session(id: id, app: app, connection: connection, proof: proof, indication: indication, at: now))
    byApp[app, default: []].insert(id)
    byConnection[connection.number] = id
    return id
  }

  /// Connects the session of a client that connected again. The session receives a new token.
  mutating func attach(_ id: SessionID, to connection: any ClientConnection, _ proof: Identity.Proof) {
    if let former = sessions[id]?.session.connection { byConnection[former.number] = nil }
    byConnection[connection.number] = id
    sessions[id]?.session.connection = connection
    sessions[id]?.session.proof = proof
    sessions[id]?.session.token = randomDigits()
  }

  mutating func detach(_ id: SessionID) {
    if let former = sessions[id]?.session.connection { byConnection[former.number] = nil }
    sessions[id]?.session.connection = nil
  }

  /// - Returns: The app of the session; nil if the session has already ended.
  mutating func remove(_ id: SessionID) -> AppID? {
    guard let session = sessions.removeValue(forKey: id)?.session else { return nil }
    if let connection = session.connection { byConnection[connection.number] = nil }
    for request in [session.request?.id, session.updates?.id, session.question?.id] {
      if let request { requesters[request] = nil }
    }
    byApp[session.app]?.remove(id)
    if byApp[session.app]?.isEmpty == true { byApp[session.app] = nil }
    return session.app
  }

  mutating func sendMissed(to id: SessionID) { sessions[id]?.session.sendMissed() }

  // MARK: Requests

  mutating func begin(_ request: IncomingRequest) -> RequestID {
    let id = RequestID(nextID())
    incoming[id] = request
    return id
  }

  /// Answers that the gateway accepted the request, which now waits for a press or for its fix.
  /// - Returns: The request, unless it was answered before.
  mutating func accept(_ id: RequestID, state: String, at now: MonotonicInstant) -> IncomingRequest? {
    guard let command = incoming.removeValue(forKey: id) else { return nil }
    switch command.kind {
    case .once(let options):
      requesters[id] = command.session
      sessions[command.session]?.session.request = PendingRequest(
        id: id, tag: command.tag, options: options, received: now)
    case .updates:
      requesters[id] = command.session
      sessions[command.session]?.session.updates = (id, command.tag)
    case .authorization: break
    }
    command.connection.send(.ok(tag: command.tag, ["state": state]))
    return command
  }

  /// Stores an authorization request with its purpose. The prompt shows this purpose, and no later text of the app.
  mutating func ask(_ id: RequestID) {
    guard let command = incoming[id], case .authorization(let purpose) = command.kind else { return }
    if let former = sessions[command.session]?.session.question { requesters[former.id] = nil }
    requesters[id] = command.session
    sessions[command.session]?.session.question = AskedQuestion(id: id, tag: command.tag, purpose: purpose)
  }

  mutating func answer(_ id: RequestID, _ fields: ServerLine.Fields) {
    guard let command = incoming.removeValue(forKey: id) else { return }
    command.connection.send(.ok(tag: command.tag, fields))
  }

  /// - Returns: The app of the request; nil if the request was answered before, or if its session has ended.
  mutating func refuse(_ id: RequestID, _ error: LineError, _ fields: ServerLine.Fields) -> AppID? {
    guard let command = incoming.removeValue(forKey: id) else { return nil }
    command.connection.send(.error(error, tag: command.tag, fields))
    return sessions[command.session]?.session.app
  }

  /// Ends a request without a fix. If the error is nil, the app is not notified.
  mutating func end(_ id: RequestID, _ error: LineError?) {
    guard let session = requesters.removeValue(forKey: id), sessions[session] != nil else { return }
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
    if let error { sessions[session]?.session.send(ending: .error(error, tag: tag, [:])) }
  }

  /// Notes that the fix of the request was sent to the client, or was stored for a broker.
  mutating func fulfil(_ id: RequestID, isSent: Bool) {
    guard let session = requesters.removeValue(forKey: id) else { return }
    sessions[session]?.session.request = nil
    guard isSent else { return }
    sessions[session]?.session.lastMessageID += 1
    sessions[session]?.session.subscriptions.consumeFix()
  }

  mutating func noteUpdate(sentTo id: SessionID) { sessions[id]?.session.subscriptions.consumeUpdate() }

  mutating func noteCrossing(sentTo id: SessionID, region: String) {
    sessions[id]?.session.subscriptions.consume(region: region)
  }

  // MARK: Notifications

  mutating func notify(_ id: SessionID, _ topic: Topic, _ json: String) { sessions[id]?.session.send(topic, json) }

  mutating func notifyAll(_ topic: Topic, _ json: String) {
    for entry in sessions.values { entry.session.send(topic, json) }
  }

  /// Notifies the apps of the state of the receiver that they may see, if it has changed.
  mutating func showReceiver(_ json: String) {
    guard json != receiver else { return }
    receiver = json
    notifyAll(.receiver, json)
  }

  /// Notifies the sessions of an app of their indication, if it has changed.
  func show(_ indication: String, to app: AppID) {
    for id in (byApp[app] ?? []).sorted() {
      guard let entry = sessions[id], entry.session.indication != indication else { continue }
      entry.session.indication = indication
      entry.session.send(.indicator, JSONObject.text(["state": indication]))
    }
  }

  /// Notes that the client subscribed to the indicator, and received this indication as a retained message.
  mutating func noteIndication(_ indication: String, sentTo id: SessionID) {
    sessions[id]?.session.indication = indication
  }

  /// Returns the apps whose indication may have changed: all apps if the kill switch was switched on or off.
  mutating func appsToNotify(_ changed: Set<AppID>, isLocked: Bool) -> Set<AppID> {
    defer { wasLocked = isLocked }
    return isLocked == wasLocked ? changed : changed.union(byApp.keys)
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
