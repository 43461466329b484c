import Synchronization

/// Which fixes were recalled: those of a kind that were stamped before a connection's last recall of that kind.
final class Recalls: Sendable {
  /// How many recalls there had been, of whatever.
  typealias Stamp = UInt64

  private static let count = Atomic<Stamp>(0)

  /// What is sent now is stamped with it.
  static var now: Stamp { count.load(ordering: .sequentiallyConsistent) }

  private let updates = Atomic<Stamp>(0)
  private let once = Atomic<Stamp>(0)

  func recall(_ kinds: FixKinds) {
    let stamp = Self.count.add(1, ordering: .sequentiallyConsistent).newValue
    if kinds.contains(.updates) { updates.store(stamp, ordering: .sequentiallyConsistent) }
    if kinds.contains(.once) { once.store(stamp, ordering: .sequentiallyConsistent) }
  }

  /// Whether a line of that kind may not leave any more.
  func concern(_ kind: FixKinds, stamped stamp: Stamp) -> Bool {
    kind.contains(.updates) && stamp < updates.load(ordering: .sequentiallyConsistent)
      || kind.contains(.once) && stamp < once.load(ordering: .sequentiallyConsistent)
  }
}
