import Synchronization

/// The clients that are there.
final class OpenConnections: Sendable {
  private let connections = Mutex<Set<Connection>>([])

  var all: Set<Connection> { connections.withLock { $0 } }

  subscript(number: UInt64) -> Connection? { connections.withLock { $0.first { $0.number == number } } }

  func insert(_ connection: Connection) { connections.withLock { _ = $0.insert(connection) } }

  func remove(_ connection: Connection) { connections.withLock { _ = $0.remove(connection) } }
}
