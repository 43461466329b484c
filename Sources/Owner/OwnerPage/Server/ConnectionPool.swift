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
    // A connection that the pool closes leaves the list at once. The close itself takes longer, and meanwhile the pool
    // would choose the same connection for each new one.
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

  /// Marks a connection as authenticated. Returns false if the maximum number is reached, or if the pool closes the
  /// connection.
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
