import NIOCore
import Synchronization

/// Who is connected to the page. Any user of this machine may connect; who has a session is never kept out by those who
/// have none.
final class ConnectionPool: Sendable {
  /// Connections that have not shown a session: for one more the oldest goes.
  static let mostStrangers = 16
  /// Connections that have: each tab listens on one.
  static let mostOwners = 16

  private struct Guest {
    var channel: any Channel
    var isOwner = false
  }

  /// In the order in which they came.
  private let guests = Mutex<[Guest]>([])

  init() {}

  /// Somebody has connected.
  func enter(_ channel: any Channel) {
    let oldest = guests.withLock { guests in
      guests.append(Guest(channel: channel))
      return guests.count { !$0.isOwner } > Self.mostStrangers ? guests.first { !$0.isOwner }?.channel : nil
    }
    channel.closeFuture.whenComplete { _ in self.guests.withLock { $0.removeAll { $0.channel === channel } } }
    // Its end lets it out.
    oldest?.close(promise: nil)
  }

  /// Somebody has shown a session.
  /// - Returns: false where there is no room for more of them.
  func admit(_ channel: any Channel) -> Bool {
    guests.withLock { guests in
      guard guests.count(where: \.isOwner) < Self.mostOwners else { return false }
      for index in guests.indices where guests[index].channel === channel { guests[index].isOwner = true }
      return true
    }
  }
}
