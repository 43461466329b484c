package import Clocks
import Synchronization

/// The connections that have not authenticated, by their origin: few at a time, so that no origin keeps others out.
package struct WaitingRoom {
  /// Connections of one origin are counted together.
  package enum Origin: Hashable, Sendable {
    case uid(UInt32)
    /// An address, or the 64 bits of IPv6 that one subscriber has.
    case subscriber([UInt8])
    /// A serial port, by its path.
    case port(String)
  }

  private struct Newcomer {
    var number: UInt64
    var came: MonotonicInstant
    /// It waits for the answer to a wrong proof.
    var isHeld = false
  }

  /// The connections of one origin. One more closes the oldest.
  package static let most = 8
  /// The connections of one uid while the oldest is younger than `patience`: programs that start together connect together,
  /// and the kernel knows that all of them belong to one user.
  static let mostAtOnce = 64
  /// The age from which a connection that has not authenticated may be closed for another one of its uid, or because its
  /// listener is full.
  static let patience = Duration.seconds(1)

  /// Oldest first. An origin without connections is not kept.
  private var newcomers: [Origin: [Newcomer]] = [:]

  /// Adds a connection that was accepted.
  /// - Parameter number: of the connection, unique.
  /// - Returns: the connection that has to be closed for it, which is the oldest of its origin, or this one if all others
  ///   are held; nil while there is room.
  mutating func enter(_ number: UInt64, from origin: Origin, at now: MonotonicInstant) -> UInt64? {
    let others = newcomers[origin, default: []]
    var closed: UInt64?
    if others.count >= Self.most {
      guard let index = others.firstIndex(where: { !$0.isHeld }) else { return number }
      let isTolerated = if case .uid = origin { others.count < Self.mostAtOnce } else { false }
      if !isTolerated || now - others[index].came >= Self.patience {
        closed = newcomers[origin]?.remove(at: index).number
      }
    }
    newcomers[origin, default: []].append(Newcomer(number: number, came: now))
    return closed
  }

  /// Lets a connection keep its place until it leaves: it proved something wrong, and while it waits for the answer its
  /// origin may not try again in its place.
  mutating func hold(_ number: UInt64, from origin: Origin) {
    guard let index = newcomers[origin]?.firstIndex(where: { $0.number == number }) else { return }
    newcomers[origin]?[index].isHeld = true
  }

  /// Adds a connection whose authentication has become void. No other connection is closed for it.
  /// - Returns: whether there is room.
  mutating func comeBack(_ number: UInt64, from origin: Origin, at now: MonotonicInstant) -> Bool {
    guard newcomers[origin, default: []].count < Self.most else { return false }
    newcomers[origin, default: []].append(Newcomer(number: number, came: now))
    return true
  }

  /// Removes a connection that has authenticated, or has ended.
  mutating func leave(_ number: UInt64, from origin: Origin) {
    guard let index = newcomers[origin]?.firstIndex(where: { $0.number == number }) else { return }
    newcomers[origin]?.remove(at: index)
    if newcomers[origin]?.isEmpty == true { newcomers[origin] = nil }
  }

  /// Removes a connection of a listener that is full: the oldest of the origin that has the most there.
  /// - Parameter isThere: whether a connection belongs to that listener.
  /// - Returns: the connection that has to be closed; nil while every one is younger than `patience`.
  mutating func makeRoom(at now: MonotonicInstant, among isThere: (UInt64) -> Bool) -> UInt64? {
    var choice: (origin: Origin, oldest: Newcomer, count: Int)?
    for (origin, all) in newcomers {
      let there = all.filter { !$0.isHeld && isThere($0.number) }
      guard let oldest = there.first, now - oldest.came >= Self.patience else { continue }
      if let choice, (choice.count, oldest.came) > (there.count, choice.oldest.came) { continue }
      choice = (origin, oldest, there.count)
    }
    guard let choice else { return nil }
    leave(choice.oldest.number, from: choice.origin)
    return choice.oldest.number
  }

  var isEmpty: Bool { newcomers.isEmpty }
}

/// How often somebody was not who they claimed to be, by where they come from.
package struct FailedProofs {
  private struct Record {
    var count: Int
    var last: MonotonicInstant
  }

  /// Of the answer to the first one; each further one takes twice as long.
  static let shortest = Duration.milliseconds(500)
  /// Less than the 10 s after which the connection ends anyway.
  package static let longest = Duration.seconds(8)
  /// After that long without another it is forgotten.
  static let memory = Duration.seconds(600)
  /// How many origins are remembered. Where there are more, the one that was quiet for longest is forgotten.
  static let most = 1024

  private var records: [WaitingRoom.Origin: Record] = [:]

  var count: Int { records.count }

  /// Notes a wrong proof.
  /// - Returns: how long it waits for its answer. It keeps its place in the waiting room meanwhile, even if it hangs up.
  mutating func note(from origin: WaitingRoom.Origin, at now: MonotonicInstant) -> Duration {
    var record = records[origin] ?? Record(count: 0, last: now)
    if now - record.last >= Self.memory { record.count = 0 }
    record.count += 1
    record.last = now
    if records[origin] == nil, records.count >= Self.most,
      let quietest = records.min(by: { $0.value.last < $1.value.last })
    {
      records[quietest.key] = nil
    }
    records[origin] = record
    return min(Self.longest, Self.shortest * (1 << min(record.count - 1, 8)))
  }
}

/// Limits the connections that have not authenticated, of all listeners together.
package final class Doorkeeper: Sendable {
  private struct State {
    var room = WaitingRoom()
    var failures = FailedProofs()
    /// What closes each of the connections in the room.
    var closings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a connection that was accepted, and closes the oldest of its origin if there are too many.
  /// - Parameter close: closes this connection, from any thread.
  package func enter(
    _ number: UInt64, from origin: WaitingRoom.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) {
    let closeOldest = state.withLock { state in
      state.closings[number] = close
      return state.room.enter(number, from: origin, at: now).flatMap { state.closings.removeValue(forKey: $0) }
    }
    closeOldest?()
  }

  package func leave(_ number: UInt64, from origin: WaitingRoom.Origin) {
    state.withLock { state in
      state.room.leave(number, from: origin)
      state.closings[number] = nil
    }
  }

  /// Closes a connection of a listener that is full, if one is old enough.
  /// - Parameter isThere: whether a connection belongs to that listener.
  package func makeRoom(at now: MonotonicInstant, among isThere: (UInt64) -> Bool) {
    let close = state.withLock { state in
      state.room.makeRoom(at: now, among: isThere).flatMap { state.closings.removeValue(forKey: $0) }
    }
    close?()
  }

  func comeBack(
    _ number: UInt64, from origin: WaitingRoom.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.room.comeBack(number, from: origin, at: now) else { return false }
      state.closings[number] = close
      return true
    }
  }

  /// Notes a wrong proof.
  /// - Parameter number: of the connection, which keeps its place until it leaves; nil if it has none.
  /// - Returns: how long the answer has to wait.
  package func noteFailure(
    of number: UInt64? = nil, from origin: WaitingRoom.Origin, at now: MonotonicInstant
  ) -> Duration {
    state.withLock { state in
      if let number { state.room.hold(number, from: origin) }
      return state.failures.note(from: origin, at: now)
    }
  }
}
