import Authorization
import Ports

/// The apps' sessions, found by whatever they are asked for: an event of one of ten thousand does not look at the others.
struct Sessions {
  private var all: [SessionID: Session] = [:]
  private var onConnections: [UInt64: Session] = [:]
  private var ofApps: [AppID: [SessionID: Session]] = [:]

  var count: Int { all.count }

  var values: some Collection<Session> { all.values }

  /// Apps that have sessions.
  var apps: some Collection<AppID> { ofApps.keys }

  subscript(id: SessionID) -> Session? { all[id] }

  func on(_ connection: any ClientConnection) -> Session? { onConnections[connection.number] }

  func count(of app: AppID) -> Int { ofApps[app]?.count ?? 0 }

  func of(_ app: AppID) -> [Session] { ofApps[app].map { Array($0.values) } ?? [] }

  mutating func insert(_ session: Session) {
    all[session.id] = session
    ofApps[session.app, default: [:]][session.id] = session
    if let connection = session.connection { onConnections[connection.number] = session }
  }

  mutating func remove(_ id: SessionID) -> Session? {
    guard let session = all.removeValue(forKey: id) else { return nil }
    ofApps[session.app]?[id] = nil
    if ofApps[session.app]?.isEmpty == true { ofApps[session.app] = nil }
    if let connection = session.connection { onConnections[connection.number] = nil }
    return session
  }

  /// Its client has come back, on another connection, or is away.
  mutating func move(_ session: Session, to connection: (any ClientConnection)?) {
    if let former = session.connection { onConnections[former.number] = nil }
    session.connection = connection
    if let connection { onConnections[connection.number] = session }
  }
}
