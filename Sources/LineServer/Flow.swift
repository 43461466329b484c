import Synchronization

/// What a connection and the event loop that writes for it tell each other.
final class Flow: Sendable {
  let post: Post
  let recalls = Recalls()
  private let full = Atomic(false)

  init(_ post: Post) { self.post = post }

  /// Whether the client does not read as fast as it is told.
  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }
}
