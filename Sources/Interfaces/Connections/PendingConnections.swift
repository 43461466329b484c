import Clocks
import Ports

/// The connections that have not authenticated, by their origin. Each origin has a limit, so that it cannot exclude
/// others.
struct PendingConnections {
  private struct Pending {
    var number: UInt64
    var accepted: MonotonicInstant
    /// Whether the connection waits for the answer to a wrong proof.
    var isHeld = false
  }

  /// The maximum number of connections of one origin. A further connection closes the oldest.
  static let most = 8
  /// The limit of connections of one uid while the oldest connection is younger than `patience`. Programs that start
  /// together connect together, and the kernel reports the same user for all of them.
  static let mostAtOnce = 64
  /// The age from which an unauthenticated connection may be closed, in favour of another connection of its uid or
  /// because its listener is full.
  static let patience = Duration.seconds(1)

  /// The pending connections of each origin, oldest first. An origin without connections has no entry.
  private var pending: [Peer.Origin: [Pending]] = [:]

  /// Adds an accepted connection.
  ///
  /// - Parameter number: the unique number of the connection.
  /// - Returns: the connection to close, which is the oldest of its origin, or this connection if all others are held;
  ///   nil if there is room.
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

  /// Holds a connection until it ends. A connection is held after a failed authentication, so that its origin cannot
  /// use the same slot for another attempt while the answer is delayed.
  mutating func hold(_ number: UInt64, from origin: Peer.Origin) {
    guard let index = pending[origin]?.firstIndex(where: { $0.number == number }) else { return }
    pending[origin]?[index].isHeld = true
  }

  /// Adds a connection whose authentication has become void. No other connection is closed for it.
  /// - Returns: whether there is room.
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

  /// Removes a connection of a listener that is full: the oldest of the origin that has the most there.
  /// - Parameter isMember: whether a connection belongs to that listener.
  /// - Returns: the connection that has to be closed; nil while every one is younger than `patience`.
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
