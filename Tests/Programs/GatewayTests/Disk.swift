import StoreScenario
import Synchronization

/// Whether the disk has no room left.
final class Disk: Sendable {
  private let full = Mutex(false)

  var isFull: Bool {
    get { full.withLock { $0 } }
    set { full.withLock { $0 = newValue } }
  }

  /// What a store's writes go through: SQLITE_FULL for each while it is full; none of it, not even the room that is kept,
  /// can be had.
  /// - Parameter name: no other that is there has it.
  func recording(_ name: String) throws -> Recording {
    try Recording(name) { change, _, isSQLite in
      if isSQLite, case .write = change, self.isFull { 13 } else { 0 }
    }
  }
}
