import Authorization
import Base
import LineProtocol
import Logging
import OperatingSystem
import Ports

/// The sessions of the apps, with their open requests.
struct SessionTable {
  private var sessions: [SessionID: Session] = [:]
  private var byConnection: [UInt64: SessionID] = [:]
  private var byApp: [AppID: Set<SessionID>] = [:]
  /// The sessions of the outputs that get a fix at each press of the button (`on_press = true`).
  private(set) var eachPress: Set<SessionID> = []
  /// The session of each accepted request that has not ended: a one-time request, updates, or a request for an
  /// authorization.
  private var requesters: [RequestID: SessionID] = [:]
  /// The commands that have no reply yet, by the identifier of their request.
  private var incoming: [RequestID: IncomingRequest] = [:]
  /// The last state of the receiver that the apps received, as JSON.
  private var receiver = ""
  /// Whether the kill switch was on at the last call of `appsToNotify(_:isLocked:)`.
  private var wasLocked = false
  private var lastID: UInt64 = 0

  /// Returns an identifier that no other session and no other request has.
  private mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Opens a session of an app, and returns its identifier.
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

  /// Gives a session the new connection of its client. The session gets a new token, with which the client can resume
  /// it later.
  mutating func attach(_ id: SessionID, to connection: any ClientConnection, _ proof: Identity.Proof) {
    detach(id)
    byConnection[connection.number] = id
    sessions[id]?.connection = connection
    sessions[id]?.proof = proof
    sessions[id]?.token = randomDigits()
  }

  /// Removes the connection of a session, because the connection has ended.
  mutating func detach(_ id: SessionID) {
    if let former = sessions[id]?.connection { byConnection[former.number] = nil }
    sessions[id]?.connection = nil
  }

  /// Removes a session and its requests.
  /// - Returns: The app of the session; nil if there is no such session.
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

  /// Adds a command that has no reply yet, and returns its identifier.
  mutating func begin(_ request: IncomingRequest) -> RequestID {
    let id = RequestID(nextID())
    incoming[id] = request
    return id
  }

  /// Sends the reply that a request was accepted. A one-time request then waits for a press of the button or for its
  /// fix.
  /// - Returns: The request; nil if it already had a reply.
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

  /// Stores a request for an authorization with its purpose, without a reply yet. The prompt (the question to the user)
  /// shows this purpose, and no later text of the app.
  mutating func ask(_ id: RequestID) {
    guard let command = incoming[id], case .authorization(let purpose) = command.kind else { return }
    if let former = sessions[command.session]?.question { requesters[former.id] = nil }
    requesters[id] = command.session
    sessions[command.session]?.question = AskedQuestion(id: id, tag: command.tag, purpose: purpose)
  }

  /// Sends a reply with fields to a command.
  mutating func answer(_ id: RequestID, _ fields: ServerLine.Fields) {
    guard let command = incoming.removeValue(forKey: id) else { return }
    command.connection.send(.ok(tag: command.tag, fields))
  }

  /// Sends an error as the reply to a command.
  /// - Returns: The app of the command; nil if the command already had a reply, or if its session has ended.
  mutating func refuse(_ id: RequestID, _ error: LineError, _ fields: ServerLine.Fields) -> AppID? {
    guard let command = incoming.removeValue(forKey: id) else { return nil }
    command.connection.send(.error(error, tag: command.tag, fields))
    return sessions[command.session]?.app
  }

  /// Ends a request without a fix. If the error is nil, the app gets no message.
  mutating func end(_ id: RequestID, _ error: LineError?) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    let tag = session.removeRequest(id)
    if let error { session.send(ending: .error(error, tag: tag, [:])) }
  }

  /// Records that the fix of a request was sent to its client, or was stored for its output.
  /// - Parameter isSent: Whether the fix was sent to a client.
  mutating func fulfil(_ id: RequestID, isSent: Bool) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    session.request = nil
    guard isSent else { return }
    session.lastMessageID += 1
    session.subscriptions.consumeFix()
  }

  // MARK: Notifications

  /// Sends a message to each session that subscribes to the topic.
  func notifyAll(_ topic: Topic, _ json: String) {
    for session in sessions.values { session.send(topic, json) }
  }

  /// Sends the state of the receiver to the apps, if the part that apps may see has changed.
  mutating func showReceiver(_ json: String) {
    guard json != receiver else { return }
    receiver = json
    notifyAll(.receiver, json)
  }

  /// Sends the name of the indication (the pattern of the LED) to each session of an app, unless the last message had
  /// the same name.
  func show(_ indication: String, to app: AppID) {
    for session in of(app) where session.indication != indication {
      session.indication = indication
      session.send(.indicator, JSONObject.text(["state": indication]))
    }
  }

  /// Returns the apps whose indication (the LED pattern) may have changed. After each use of the kill switch, these are
  /// all apps.
  mutating func appsToNotify(_ changed: Set<AppID>, isLocked: Bool) -> Set<AppID> {
    defer { wasLocked = isLocked }
    return isLocked == wasLocked ? changed : changed.union(byApp.keys)
  }

  // MARK: State

  var count: Int { sessions.count }

  /// All sessions, oldest first.
  var sorted: [Session] { sessions.values.sorted { $0.id < $1.id } }

  var ids: [SessionID] { sessions.keys.sorted() }

  var apps: some Collection<AppID> { byApp.keys }

  subscript(id: SessionID) -> Session? { sessions[id] }

  /// Returns the session of a connection; nil for a connection of an owner, and before the command HELLO.
  func session(on connection: any ClientConnection) -> Session? {
    byConnection[connection.number].flatMap { sessions[$0] }
  }

  /// Returns the sessions of an app, oldest first.
  func of(_ app: AppID) -> [Session] { (byApp[app] ?? []).sorted().compactMap { sessions[$0] } }

  func count(of app: AppID) -> Int { byApp[app]?.count ?? 0 }

  /// Returns the count of sessions over a transport.
  func count(over transport: Transport) -> Int { sessions.values.count { $0.transport == transport } }

  /// Returns the session of an accepted request; nil if the request has ended.
  func session(of request: RequestID) -> Session? { requesters[request].flatMap { sessions[$0] } }

  /// Returns a command that has no reply yet; nil if there is none.
  func incoming(_ request: RequestID) -> IncomingRequest? { incoming[request] }
}
