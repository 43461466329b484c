import Clocks
import Ports

/// The connections that have not authenticated yet, grouped by their origin. The number of connections for each origin
/// is limited, so that one origin cannot occupy all connections.
struct PendingConnections {
  private struct Pending {
    var number: UInt64
    var accepted: MonotonicInstant
    /// Whether the authentication of the connection failed and the gateway delays its answer.
    var isHeld = false
  }

  /// The maximum number of pending connections of one origin. If one more connection of this origin arrives, the
  /// gateway closes the oldest pending connection of this origin.
  static let most = 8
  /// The maximum number of pending connections of one user while all these connections are new. This maximum replaces
  /// `most` until the oldest connection has the age `patience`. It is higher than `most`, because many programs of one
  /// user may start and connect at the same time.
  static let mostAtOnce = 64
  /// The minimum age at which the gateway may close a pending connection. The gateway closes an old pending connection
  /// to accept a new connection of the same user or on the same listener.
  static let patience = Duration.seconds(1)

  /// The pending connections of each origin, oldest first. An origin without connections has no entry.
  private var pending: [Peer.Origin: [Pending]] = [:]

  /// Adds an accepted connection.
  ///
  /// - Parameter number: The unique number of the connection.
  /// - Returns: The number of the connection to close; nil if the origin has room. The connection to close is the
  ///   oldest connection of the origin that is not held. If all connections of the origin are held, it is the new
  ///   connection.
  mutating func add(_ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant) -> UInt64? {
    let others = pending[origin, default: []]
    var closed: UInt64?
    if others.count >= Self.most {
      guard let index = others.firstIndex(where: { !$0.isHeld }) else { return number }
      let isTolerated = if case .uid = origin { others.count < Self.mostAtOnce } else { false }
      if !isTolerated || now - others[index].accepted >= Self.patience {
        closed = pending[origin]?.remove(at: index).number
      }
    }
    pending[origin, default: []].append(Pending(number: number, accepted: now))
    return closed
  }

  /// Marks a connection as held until it ends. The gateway holds a connection after a failed authentication, while it
  /// delays the answer. A held connection still counts as a pending connection of its origin. For this reason, the
  /// origin cannot avoid the delay with a new connection.
  mutating func hold(_ number: UInt64, from origin: Peer.Origin) {
    guard let index = pending[origin]?.firstIndex(where: { $0.number == number }) else { return }
    pending[origin]?[index].isHeld = true
  }

  /// Adds a connection again after the service refused its authenticated client. Closes no other connection.
  ///
  /// - Returns: Whether the origin has room for the connection.
  mutating func restore(_ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant) -> Bool {
    guard pending[origin, default: []].count < Self.most else { return false }
    pending[origin, default: []].append(Pending(number: number, accepted: now))
    return true
  }

  /// Removes a connection that has authenticated, or has ended.
  mutating func remove(_ number: UInt64, from origin: Peer.Origin) {
    guard let index = pending[origin]?.firstIndex(where: { $0.number == number }) else { return }
    pending[origin]?.remove(at: index)
    if pending[origin]?.isEmpty == true { pending[origin] = nil }
  }

  /// Removes one pending connection of a listener that is full. The function selects the origin with the most pending
  /// connections at this listener, and removes the oldest connection of this origin.
  ///
  /// - Parameter isMember: Returns whether the connection with the given number belongs to the full listener.
  /// - Returns: The number of the connection to close; nil if every connection is held or is younger than `patience`.
  mutating func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) -> UInt64? {
    var choice: (origin: Peer.Origin, oldest: Pending, count: Int)?
    for (origin, all) in pending {
      let there = all.filter { !$0.isHeld && isMember($0.number) }
      guard let oldest = there.first, now - oldest.accepted >= Self.patience else { continue }
      if let choice, (choice.count, oldest.accepted) > (there.count, choice.oldest.accepted) { continue }
      choice = (origin, oldest, there.count)
    }
    guard let choice else { return nil }
    remove(choice.oldest.number, from: choice.origin)
    return choice.oldest.number
  }

  var isEmpty: Bool { pending.isEmpty }
}
