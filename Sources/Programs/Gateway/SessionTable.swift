import Authorization
import Base
import LineProtocol
import Logging
import Ports
import OperatingSystem

/// The sessions of the apps, and the requests that have not ended.
struct SessionTable {
  private var sessions: [SessionID: Session] = [:]
  private var byConnection: [UInt64: SessionID] = [:]
  private var byApp: [AppID: Set<SessionID>] = [:]
  /// The sessions of the outputs that get a fix by each press.
  private(set) var eachPress: Set<SessionID> = []
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

  /// Returns a number that no session and no request has.
  private mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Opens a session of an app.
  mutating func open(
    _ app: AppID, _ connection: any ClientConnection, _ proof: Identity.Proof, indication: String,
    at now: MonotonicInstant
  ) -> SessionID {
    let id = SessionID(nextID())
    sessions[id] = Session(
      id: id, app: app, connection: connection, proof: proof, indication: indication, at: now)
    byApp[app, default: []].insert(id)
    byConnection[connection.number] = id
    if connection.isForEachPress { eachPress.insert(id) }
    return id
  }

  /// Attaches a session to the new connection of its client. The session receives a new token.
  mutating func attach(_ id: SessionID, to connection: any ClientConnection, _ proof: Identity.Proof) {
    detach(id)
    byConnection[connection.number] = id
    sessions[id]?.connection = connection
    sessions[id]?.proof = proof
    sessions[id]?.token = randomDigits()
  }

  /// Detaches a session from its connection, which has ended.
  mutating func detach(_ id: SessionID) {
    if let former = sessions[id]?.connection { byConnection[former.number] = nil }
    sessions[id]?.connection = nil
  }

  /// Removes a session and its requests.
  /// - Returns: The app of the session; nil if the session has already ended.
  mutating func remove(_ id: SessionID) -> AppID? {
    guard let session = sessions.removeValue(forKey: id) else { return nil }
    if let connection = session.connection { byConnection[connection.number] = nil }
    for request in [session.request?.id, session.updates?.id, session.question?.id].compactMap(\.self) {
      requesters[request] = nil
    }
    eachPress.remove(id)
    byApp[session.app]?.remove(id)
    if byApp[session.app]?.isEmpty == true { byApp[session.app] = nil }
    return session.app
  }

  // MARK: Requests

  /// Adds a command that the gateway has not answered yet.
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
      sessions[command.session]?.request = PendingRequest(
        id: id, tag: command.tag, options: options, received: now)
    case .updates:
      requesters[id] = command.session
      sessions[command.session]?.updates = (id, command.tag)
    case .authorization: break
    }
    command.connection.send(.ok(tag: command.tag, ["state": state]))
    return command
  }

  /// Stores an authorization request with its purpose, and answers nothing yet. The prompt shows this purpose, and no
  /// later text of the app.
  mutating func ask(_ id: RequestID) {
    guard let command = incoming[id], case .authorization(let purpose) = command.kind else { return }
    if let former = sessions[command.session]?.question { requesters[former.id] = nil }
    requesters[id] = command.session
    sessions[command.session]?.question = AskedQuestion(id: id, tag: command.tag, purpose: purpose)
  }

  /// Answers a command with fields.
  mutating func answer(_ id: RequestID, _ fields: ServerLine.Fields) {
    guard let command = incoming.removeValue(forKey: id) else { return }
    command.connection.send(.ok(tag: command.tag, fields))
  }

  /// Answers a command with an error.
  /// - Returns: The app of the command; nil if the command was answered before, or if its session has ended.
  mutating func refuse(_ id: RequestID, _ error: LineError, _ fields: ServerLine.Fields) -> AppID? {
    guard let command = incoming.removeValue(forKey: id) else { return nil }
    command.connection.send(.error(error, tag: command.tag, fields))
    return sessions[command.session]?.app
  }

  /// Ends a request without a fix. If the error is nil, the app is not notified.
  mutating func end(_ id: RequestID, _ error: LineError?) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    let tag = session.removeRequest(id)
    if let error { session.send(ending: .error(error, tag: tag, [:])) }
  }

  /// Notes that the fix of the request was sent to the client, or was stored for an output.
  mutating func fulfil(_ id: RequestID, isSent: Bool) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    session.request = nil
    guard isSent else { return }
    session.lastMessageID += 1
    session.subscriptions.consumeFix()
  }

  // MARK: Notifications

  /// Sends a message to each session that subscribes to its topic.
  func notifyAll(_ topic: Topic, _ json: String) {
    for session in sessions.values { session.send(topic, json) }
  }

  /// Notifies the apps of the state of the receiver, if the state that apps may see has changed.
  mutating func showReceiver(_ json: String) {
    guard json != receiver else { return }
    receiver = json
    notifyAll(.receiver, json)
  }

  /// Notifies each session of an app of the indication, if the client has not received this indication last.
  func show(_ indication: String, to app: AppID) {
    for session in of(app) where session.indication != indication {
      session.indication = indication
      session.send(.indicator, JSONObject.text(["state": indication]))
    }
  }

  /// Returns the apps whose indication may have changed: all apps if the kill switch was switched on or off.
  mutating func appsToNotify(_ changed: Set<AppID>, isLocked: Bool) -> Set<AppID> {
    defer { wasLocked = isLocked }
    return isLocked == wasLocked ? changed : changed.union(byApp.keys)
  }

  // MARK: State

  var count: Int { sessions.count }

  /// All sessions, oldest first.
  var sorted: [Session] { sessions.values.sorted { $0.id < $1.id } }

  /// The identifiers of all sessions, oldest first.
  var ids: [SessionID] { sessions.keys.sorted() }

  var apps: some Collection<AppID> { byApp.keys }

  subscript(id: SessionID) -> Session? { sessions[id] }

  /// Returns the session of a connection; nil for the connection of an owner, and before HELLO.
  func session(on connection: any ClientConnection) -> Session? {
    byConnection[connection.number].flatMap { sessions[$0] }
  }

  /// Returns the sessions of an app, oldest first.
  func of(_ app: AppID) -> [Session] { (byApp[app] ?? []).sorted().compactMap { sessions[$0] } }

  func count(of app: AppID) -> Int { byApp[app]?.count ?? 0 }

  /// Returns the number of sessions over a transport.
  func count(over transport: Transport) -> Int { sessions.values.count { $0.transport == transport } }

  /// Returns the session of an accepted request that has not ended.
  func session(of request: RequestID) -> Session? { requesters[request].flatMap { sessions[$0] } }

  /// Returns a command that the gateway has not answered yet.
  func incoming(_ request: RequestID) -> IncomingRequest? { incoming[request] }
}
