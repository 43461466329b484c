import Synchronization

/// The set of open connections of a server. Any thread may change the set.
package final class OpenConnections: Sendable {
  private let connections = Mutex<Set<Connection>>([])

  package init() {}

  package var all: Set<Connection> { connections.withLock { $0 } }

  package func insert(_ connection: Connection) { connections.withLock { _ = $0.insert(connection) } }

  package func remove(_ connection: Connection) { connections.withLock { _ = $0.remove(connection) } }
}
