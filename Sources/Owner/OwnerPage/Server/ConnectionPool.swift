import NIOCore
import Synchronization

/// The connections to the page. Every user of this machine can connect, but unauthenticated connections never displace
/// authenticated ones.
final class ConnectionPool: Sendable {
  /// The maximum number of unauthenticated connections. A new connection closes the oldest one.
  static let mostStrangers = 16
  /// The maximum number of authenticated connections. Each browser tab uses one for its event stream.
  static let mostOwners = 16

  private struct Guest {
    var channel: any Channel
    var isOwner = false
  }

  /// The open connections, oldest first.
  private let guests = Mutex<[Guest]>([])

  init() {}

  /// Adds a new connection.
  func enter(_ channel: any Channel) {
    let oldest = guests.withLock { guests in
      guests.append(Guest(channel: channel))
      return guests.count { !$0.isOwner } > Self.mostStrangers ? guests.first { !$0.isOwner }?.channel : nil
    }
    channel.closeFuture.whenComplete { _ in self.guests.withLock { $0.removeAll { $0.channel === channel } } }
    // The connection's `closeFuture` removes it from the list.
    oldest?.close(promise: nil)
  }

  /// Marks a connection as authenticated.
  /// - Returns: Whether there was room for one more authenticated connection.
  func admit(_ channel: any Channel) -> Bool {
    guests.withLock { guests in
      guard guests.count(where: \.isOwner) < Self.mostOwners else { return false }
      for index in guests.indices where guests[index].channel === channel { guests[index].isOwner = true }
      return true
    }
  }
}
