import NIOCore
import Synchronization

/// The connections to the page. Every user of this machine can connect to the page. For this reason, a new connection
/// that is not authenticated never closes an authenticated connection.
final class ConnectionPool: Sendable {
  /// The maximum number of unauthenticated connections. If one more connection opens, the oldest unauthenticated
  /// connection is closed.
  static let maximumUnauthenticated = 16
  /// The maximum number of authenticated connections. Each browser tab uses one connection for its event stream.
  static let maximumAuthenticated = 16

  private struct Entry {
    var channel: any Channel
    var isAuthenticated = false
  }

  /// The open connections, oldest first.
  private let entries = Mutex<[Entry]>([])

  init() {}

  /// Adds a new connection.
  func add(_ channel: any Channel) {
    let oldest = entries.withLock { entries in
      entries.append(Entry(channel: channel))
      return entries.count { !$0.isAuthenticated } > Self.maximumUnauthenticated
        ? entries.first { !$0.isAuthenticated }?.channel : nil
    }
    channel.closeFuture.whenComplete { _ in self.entries.withLock { $0.removeAll { $0.channel === channel } } }
    // The call of `close` does not remove the oldest connection from the list. The handler of `closeFuture` removes the
    // connection.
    oldest?.close(promise: nil)
  }

  /// Marks a connection as authenticated.
  /// - Returns: False if the maximum number of authenticated connections is reached.
  func authenticate(_ channel: any Channel) -> Bool {
    entries.withLock { entries in
      guard entries.count(where: \.isAuthenticated) < Self.maximumAuthenticated else { return false }
      for index in entries.indices where entries[index].channel === channel { entries[index].isAuthenticated = true }
      return true
    }
  }
}
