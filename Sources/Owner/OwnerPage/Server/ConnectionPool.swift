import NIOCore
import Synchronization

/// The connections to the page. Every user of this machine can open connections. For this reason, a connection without
/// authentication cannot displace an authenticated connection.
final class ConnectionPool: Sendable {
  /// The maximum number of unauthenticated connections. Above this number, the pool closes the oldest unauthenticated
  /// connection.
  static let maximumUnauthenticated = 16
  /// The maximum number of authenticated connections. Each browser tab uses one connection for its event stream.
  static let maximumAuthenticated = 16

  private struct Entry {
    var channel: any Channel
    var isAuthenticated = false
  }

  private let entries = Mutex<[Entry]>([])

  init() {}

  func add(_ channel: any Channel) {
    let oldest = entries.withLock { entries in
      entries.append(Entry(channel: channel))
      return entries.count { !$0.isAuthenticated } > Self.maximumUnauthenticated
        ? entries.first { !$0.isAuthenticated }?.channel : nil
    }
    channel.closeFuture.whenComplete { _ in self.entries.withLock { $0.removeAll { $0.channel === channel } } }
    // The handler of `closeFuture` removes the closed connection from the list.
    oldest?.close(promise: nil)
  }

  /// Marks a connection as authenticated. Returns false if the maximum number is reached.
  func authenticate(_ channel: any Channel) -> Bool {
    entries.withLock { entries in
      guard entries.count(where: \.isAuthenticated) < Self.maximumAuthenticated else { return false }
      for index in entries.indices where entries[index].channel === channel { entries[index].isAuthenticated = true }
      return true
    }
  }
}
