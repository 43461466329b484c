import Synchronization

/// What a connection and the event loop that writes for it tell each other.
final class Flow: Sendable {
  /// How many recalls there had been, on any connection.
  typealias Stamp = UInt64

  private static let recalls = Atomic<Stamp>(0)

  /// What is sent now is stamped with it.
  static var stamp: Stamp { recalls.load(ordering: .sequentiallyConsistent) }

  let post: Post
  private let full = Atomic(false)
  private let held = Atomic(false)
  // The last recalls of this connection.
  private let updates = Atomic<Stamp>(0)
  private let once = Atomic<Stamp>(0)

  init(_ post: Post) { self.post = post }

  /// Whether the client does not read as fast as it is told.
  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  /// Whether the client has yet to ask for what it waits for.
  var isHeld: Bool {
    get { held.load(ordering: .relaxed) }
    set { held.store(newValue, ordering: .relaxed) }
  }

  /// Fixes that were stamped before are void.
  func recall(_ kinds: FixKinds) {
    let stamp = Self.recalls.add(1, ordering: .sequentiallyConsistent).newValue
    if kinds.contains(.updates) { updates.store(stamp, ordering: .sequentiallyConsistent) }
    if kinds.contains(.once) { once.store(stamp, ordering: .sequentiallyConsistent) }
  }

  /// Whether a fix was recalled since it was stamped.
  func isRecalled(_ line: OutgoingLine) -> Bool {
    switch line.rule {
    case .reply, .event, .beat, .state: false
    case .updates: line.stamp < updates.load(ordering: .sequentiallyConsistent)
    case .once: line.stamp < once.load(ordering: .sequentiallyConsistent)
    }
  }
}
