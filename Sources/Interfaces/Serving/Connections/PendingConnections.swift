import Base
import Ports

/// The connections that have not authenticated yet, by origin (a user, or a machine). A limit for each origin prevents
/// that one origin occupies all connections.
struct PendingConnections {
  private struct Pending {
    var number: UInt64
    var accepted: MonotonicInstant
    /// Whether the authentication failed, so that the connection waits for the delayed reply.
    var isHeld = false
  }

  /// The maximum count of pending connections of one origin (a user, or a machine). A pending connection has not
  /// authenticated yet.
  static let most = 8
  /// The maximum count of pending connections (without authentication) that one user may open within one second. The
  /// value is higher than `most`, because many programs of one user may start at the same time.
  static let mostAtOnce = 64
  /// The minimum age of a connection without authentication that the gateway may close in favor of a new connection.
  static let minimumAge = Duration.seconds(1)

  /// The connections without authentication. The key is the origin (a user, or a machine), and the oldest connection is
  /// first.
  private var pending: [Peer.Origin: [Pending]] = [:]

  /// Adds an accepted connection. If the origin (a user, or a machine) has too many connections without authentication,
  /// the caller must close one connection.
  ///
  /// - Returns: The number of the connection to close; nil if the origin has room. The function chooses the oldest
  ///   connection that does not wait for a delayed reply. Otherwise the function chooses the new connection.
  mutating func add(_ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant) -> UInt64? {
    let others = pending[origin, default: []]
    var closed: UInt64?
    if others.count >= Self.most {
      guard let index = others.firstIndex(where: { !$0.isHeld }) else { return number }
      let isTolerated = if case .uid = origin { others.count < Self.mostAtOnce } else { false }
      if !isTolerated || now - others[index].accepted >= Self.minimumAge {
        closed = pending[origin]?.remove(at: index).number
      }
    }
    pending[origin, default: []].append(Pending(number: number, accepted: now))
    return closed
  }

  /// Marks a connection whose authentication failed. The connection stays pending until its delayed reply, so that its
  /// origin (a user, or a machine) cannot avoid the delay with new connections.
  mutating func hold(_ number: UInt64, from origin: Peer.Origin) {
    guard let index = pending[origin]?.firstIndex(where: { $0.number == number }) else { return }
    pending[origin]?[index].isHeld = true
  }

  /// Adds a connection again, after the gateway has refused the authentication of its client. Returns false if the
  /// origin (a user, or a machine) already has the maximum count of pending connections.
  mutating func restore(_ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant) -> Bool {
    guard pending[origin, default: []].count < Self.most else { return false }
    pending[origin, default: []].append(Pending(number: number, accepted: now))
    return true
  }

  mutating func remove(_ number: UInt64, from origin: Peer.Origin) {
    guard let index = pending[origin]?.firstIndex(where: { $0.number == number }) else { return }
    pending[origin]?.remove(at: index)
    if pending[origin]?.isEmpty == true { pending[origin] = nil }
  }

  /// Removes one pending connection (without authentication) of a full listener, and returns its number; nil if no
  /// connection may be closed.
  ///
  /// The function chooses the origin (a user, or a machine) with the most pending connections at the listener. Of these
  /// connections, the function removes the oldest.
  /// - Parameter isMember: Returns whether the connection with a number belongs to the full listener.
  mutating func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) -> UInt64? {
    var choice: (origin: Peer.Origin, oldest: Pending, count: Int)?
    for (origin, all) in pending {
      let there = all.filter { !$0.isHeld && isMember($0.number) }
      guard let oldest = there.first, now - oldest.accepted >= Self.minimumAge else { continue }
      if let choice, (choice.count, oldest.accepted) > (there.count, choice.oldest.accepted) { continue }
      choice = (origin, oldest, there.count)
    }
    guard let choice else { return nil }
    remove(choice.oldest.number, from: choice.origin)
    return choice.oldest.number
  }
}
