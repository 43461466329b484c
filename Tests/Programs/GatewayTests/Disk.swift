import StoreScenario
import Synchronization

/// Whether the disk is full.
final class Disk: Sendable {
  private let full = Mutex(false)

  var isFull: Bool {
    get { full.withLock { $0 } }
    set { full.withLock { $0 = newValue } }
  }

  /// Returns a recording for the writes of a store. While the disk is full, each write fails with SQLITE_FULL,
  /// including writes to the reserved space.
  /// - Parameter name: A unique name.
  func recording(_ name: String) throws -> Recording {
    try Recording(name) { change, _, isSQLite in
      if isSQLite, case .write = change, self.isFull { 13 } else { 0 }
    }
  }
}
