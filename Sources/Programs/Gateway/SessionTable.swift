import Authorization
import Base
import LineProtocol
import Logging
import Ports

/// The sessions of the apps, with their open requests.
struct SessionTable {
  private var sessions: [SessionID: Session] = [:]
  private var byConnection: [UInt64: SessionID] = [:]
  private var byApp: [AppID: Set<SessionID>] = [:]
  /// The sessions of outputs (such as MQTT brokers) that get a fix at each press of the button (`on_press = true`).
  private(set) var eachPress: Set<SessionID> = []
  /// The session of each accepted request that has not ended. The key is the identifier of the request.
  private var requesters: [RequestID: SessionID] = [:]
  /// The commands of apps that have no reply yet. The key is the identifier of the request.
  private var incoming: [RequestID: IncomingRequest] = [:]
  /// The state of the GNSS receiver in the last message to the apps, as JSON.
  private var receiver = ""
  /// Whether the kill switch was on when `appsToNotify(_:isLocked:)` was last called.
  private var wasLocked = false
  private var lastID: UInt64 = 0

  /// Returns a new identifier for a session or a request.
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

  /// Gives a session the new connection of its client. The session also gets a new token (the secret to resume the
  /// session).
  mutating func attach(_ id: SessionID, to connection: any ClientConnection, _ proof: Identity.Proof) {
    detach(id)
    byConnection[connection.number] = id
    sessions[id]?.connection = connection
    sessions[id]?.proof = proof
    sessions[id]?.token = randomDigits()
  }

  /// Removes the ended connection of a session. The session itself stays.
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

  /// Stores a command until its reply, and returns a new identifier for its request.
  mutating func begin(_ request: IncomingRequest) -> RequestID {
    let id = RequestID(nextID())
    incoming[id] = request
    return id
  }

  /// Sends the reply that a request is accepted. The session of the app stores the request until the request ends.
  /// - Parameter state: The state of the request in the reply, as in `awaiting-press`.
  /// - Returns: The command of the request; nil if the command already has a reply.
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

  /// Stores a request for an authorization in its session until a person answers. The prompt (the question to the user)
  /// shows the purpose in this request.
  mutating func ask(_ id: RequestID) {
    guard let command = incoming[id], case .authorization(let purpose) = command.kind else { return }
    if let former = sessions[command.session]?.question { requesters[former.id] = nil }
    requesters[id] = command.session
    sessions[command.session]?.question = AskedQuestion(id: id, tag: command.tag, purpose: purpose)
  }

  /// Sends the reply `OK` with these fields to a command.
  mutating func answer(_ id: RequestID, _ fields: ServerLine.Fields) {
    guard let command = incoming.removeValue(forKey: id) else { return }
    command.connection.send(.ok(tag: command.tag, fields))
  }

  /// Sends an error as the reply to a command.
  /// - Returns: The app that sent the command; nil if the command already has a reply, or if its session has ended.
  mutating func refuse(_ id: RequestID, _ error: LineError, _ fields: ServerLine.Fields) -> AppID? {
    guard let command = incoming.removeValue(forKey: id) else { return nil }
    command.connection.send(.error(error, tag: command.tag, fields))
    return sessions[command.session]?.app
  }

  /// Removes a request that got no fix, and sends the error to the app. If `error` is nil, the app gets no message.
  mutating func end(_ id: RequestID, _ error: LineError?) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    let tag = session.removeRequest(id)
    if let error { session.send(ending: .error(error, tag: tag, [:])) }
  }

  /// Removes a one-time request after its fix was sent to the client, or stored for an output (such as an MQTT broker).
  /// - Parameter isSent: Whether the fix was sent to the client.
  mutating func fulfil(_ id: RequestID, isSent: Bool) {
    guard let session = requesters.removeValue(forKey: id).flatMap({ sessions[$0] }) else { return }
    session.request = nil
    guard isSent else { return }
    session.lastMessageID += 1
    session.subscriptions.consumeFix()
  }

  // MARK: Notifications

  /// Sends a message to each session with a subscription to the topic.
  func notifyAll(_ topic: Topic, _ json: String) {
    for session in sessions.values { session.send(topic, json) }
  }

  /// Sends the state of the GNSS receiver to the apps, if this state differs from the last message.
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

  /// Returns the apps to which the indication (the LED pattern) must be sent: the changed apps, or all apps after a
  /// change of the kill switch.
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

  /// Returns the session of a connection; nil for a connection of an owner (administrator), and before the command
  /// HELLO.
  func session(on connection: any ClientConnection) -> Session? {
    byConnection[connection.number].flatMap { sessions[$0] }
  }

  /// Returns the sessions of an app, oldest first.
  func of(_ app: AppID) -> [Session] { (byApp[app] ?? []).sorted().compactMap { sessions[$0] } }

  func count(of app: AppID) -> Int { byApp[app]?.count ?? 0 }

  /// Returns the count of sessions over a transport.
  func count(over transport: Transport) -> Int { sessions.values.count { $0.transport == transport } }

  /// Returns the session that made an accepted request; nil if the request has ended.
  func session(of request: RequestID) -> Session? { requesters[request].flatMap { sessions[$0] } }

  /// Returns the command of a request that has no reply yet; nil if there is none.
  func incoming(_ request: RequestID) -> IncomingRequest? { incoming[request] }
}
