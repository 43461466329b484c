import Clocks
import Ports

/// The connections that have not authenticated, by their origin. Each origin has a limit, so that it cannot exclude others.
struct PendingConnections {
  private struct Pending {
    var number: UInt64
    var accepted: MonotonicInstant
    /// It waits for the answer to a wrong proof.
    var isHeld = false
  }

  /// The connections of one origin. One more closes the oldest.
  static let most = 8
  /// The connections of one uid while the oldest is younger than `patience`: programs that start together connect together,
  /// and the kernel knows that all of them belong to one user.
  static let mostAtOnce = 64
  /// The age from which a connection that has not authenticated may be closed for another one of its uid, or because its
  /// listener is full.
  static let patience = Duration.seconds(1)

  /// Oldest first. An origin without connections is not kept.
  private var pending: [Peer.Origin: [Pending]] = [:]

  /// Adds a connection that was accepted.
  /// - Parameter number: of the connection, unique.
  /// - Returns: the connection that has to be closed for it, which is the oldest of its origin, or this one if all others
  ///   are held; nil while there is room.
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

  /// Lets a connection keep its place until it leaves: it proved something wrong, and while it waits for the answer its
  /// origin may not try again in its place.
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
