package import Clocks
import Synchronization

/// Those who came and are not known yet, by where they come from: few at a time, so that nobody fills the gateway without
/// having said who they are.
package struct WaitingRoom {
  /// Who is counted together.
  package enum Origin: Hashable, Sendable {
    case uid(UInt32)
    /// An address, or the 64 bits of IPv6 that one subscriber has.
    case subscriber([UInt8])
    /// A serial port, by its path.
    case port(String)
  }

  package enum Entry: Equatable, Sendable {
    case admitted
    /// Another of the same origin has to go for it.
    case insteadOf(UInt64)
    case refused
  }

  private struct Newcomer {
    var number: UInt64
    var came: MonotonicInstant
  }

  /// Of one origin.
  package static let most = 8
  /// A process of this machine that said nothing for so long gives way to the next of its uid. The kernel knows whose they
  /// all are, and programs that start together come together: it harms nobody but themselves.
  static let patience = Duration.seconds(1)

  /// Oldest first. An origin of which nobody waits is not kept.
  private var newcomers: [Origin: [Newcomer]] = [:]

  /// - Parameter number: of the connection, unique.
  mutating func enter(_ number: UInt64, from origin: Origin, at now: MonotonicInstant) -> Entry {
    let others = newcomers[origin, default: []]
    var entry = Entry.admitted
    if others.count >= Self.most {
      switch origin {
      case .subscriber, .port: return .refused
      case .uid:
        if let first = others.first, now - first.came >= Self.patience {
          newcomers[origin]?.removeFirst()
          entry = .insteadOf(first.number)
        }
      }
    }
    newcomers[origin, default: []].append(Newcomer(number: number, came: now))
    return entry
  }

  /// Somebody who was known is not any more. Nobody has to go for it.
  /// - Returns: whether there is room.
  mutating func comeBack(_ number: UInt64, from origin: Origin, at now: MonotonicInstant) -> Bool {
    guard newcomers[origin, default: []].count < Self.most else { return false }
    newcomers[origin, default: []].append(Newcomer(number: number, came: now))
    return true
  }

  /// It is known now, or gone.
  mutating func leave(_ number: UInt64, from origin: Origin) {
    guard let index = newcomers[origin]?.firstIndex(where: { $0.number == number }) else { return }
    newcomers[origin]?.remove(at: index)
    if newcomers[origin]?.isEmpty == true { newcomers[origin] = nil }
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

/// Watches over who comes, at all listeners together.
package final class Doorkeeper: Sendable {
  private struct State {
    var room = WaitingRoom()
    var failures = FailedProofs()
  }

  private let state = Mutex(State())

  package init() {}

  package func enter(_ number: UInt64, from origin: WaitingRoom.Origin, at now: MonotonicInstant) -> WaitingRoom.Entry {
    state.withLock { $0.room.enter(number, from: origin, at: now) }
  }

  package func leave(_ number: UInt64, from origin: WaitingRoom.Origin) {
    state.withLock { $0.room.leave(number, from: origin) }
  }

  func comeBack(_ number: UInt64, from origin: WaitingRoom.Origin, at now: MonotonicInstant) -> Bool {
    state.withLock { $0.room.comeBack(number, from: origin, at: now) }
  }

  package func noteFailure(from origin: WaitingRoom.Origin, at now: MonotonicInstant) -> Duration {
    state.withLock { $0.failures.note(from: origin, at: now) }
  }
}
