import NIOCore
import Synchronization

/// What a connection and the event loop that writes for it tell each other.
final class Flow: Sendable {
  /// Fixes of updates that wait for the event loop at most: it has more to do than it can.
  static let mostWaiting = 32

  let post: Post
  private let full = Atomic(false)
  private let updatesRecalls = Atomic<UInt64>(0)
  private let onceRecalls = Atomic<UInt64>(0)
  private let waitingUpdates = Atomic(0)
  private let missedUpdates = Atomic(0)

  init(_ post: Post) { self.post = post }

  /// Whether the client does not read as fast as it is told.
  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  /// How often fixes of a kind were recalled: what was sent before the last time is void.
  func recalls(_ kind: FixKinds) -> UInt64 {
    switch kind {
    case .updates: updatesRecalls.load(ordering: .sequentiallyConsistent)
    case .once: onceRecalls.load(ordering: .sequentiallyConsistent)
    default: 0
    }
  }

  func recall(_ kinds: FixKinds) {
    if kinds.contains(.updates) { updatesRecalls.add(1, ordering: .sequentiallyConsistent) }
    if kinds.contains(.once) { onceRecalls.add(1, ordering: .sequentiallyConsistent) }
  }

  /// Whether one more fix of updates may wait for the event loop; where it may not, it is missed.
  func admitUpdate() -> Bool {
    guard waitingUpdates.load(ordering: .relaxed) < Self.mostWaiting else {
      missedUpdates.add(1, ordering: .relaxed)
      return false
    }
    waitingUpdates.add(1, ordering: .relaxed)
    return true
  }

  /// The event loop has come to it.
  /// - Returns: how many were missed since the last; nil for none.
  func updateCame() -> Int? {
    waitingUpdates.subtract(1, ordering: .relaxed)
    guard missedUpdates.load(ordering: .relaxed) != 0 else { return nil }
    return missedUpdates.exchange(0, ordering: .relaxed)
  }
}
