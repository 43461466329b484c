import NIOCore
import Synchronization

/// The open connections to the owners' web page, with limits. Any user of this machine can open connections, so a new
/// connection never closes an authenticated one.
final class ConnectionPool: Sendable {
  /// The maximum count of connections without authentication. A further connection closes the oldest one.
  static let maximumUnauthenticated = 16
  /// The maximum count of authenticated connections. Each browser tab uses one connection for its stream of events.
  static let maximumAuthenticated = 16

  private struct Entry {
    var channel: any Channel
    var isAuthenticated = false
  }

  private let entries = Mutex<[Entry]>([])

  init() {}

  func add(_ channel: any Channel) {
    // The pool removes the connection from `entries` before the connection is closed. The close takes longer, and until
    // then the pool would choose the same connection for each new connection.
    let oldest: (any Channel)? = entries.withLock { entries in
      entries.append(Entry(channel: channel))
      guard entries.count(where: { !$0.isAuthenticated }) > Self.maximumUnauthenticated,
        let index = entries.firstIndex(where: { !$0.isAuthenticated })
      else { return nil }
      return entries.remove(at: index).channel
    }
    channel.closeFuture.whenComplete { _ in self.entries.withLock { $0.removeAll { $0.channel === channel } } }
    oldest?.close(promise: nil)
  }

  /// Marks a connection as authenticated. Returns false if the pool has too many such connections, or if the connection
  /// is being closed.
  func authenticate(_ channel: any Channel) -> Bool {
    entries.withLock { entries in
      guard entries.count(where: \.isAuthenticated) < Self.maximumAuthenticated,
        let index = entries.firstIndex(where: { $0.channel === channel })
      else { return false }
      entries[index].isAuthenticated = true
      return true
    }
  }
}
