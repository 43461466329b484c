import CLinux
import NIOCore
import Synchronization

/// A scheduler that returns free memory of the allocator (malloc) to the operating system after connections have ended.
/// Otherwise the allocator would keep 36 MB after 10,000 clients have disconnected.
final class AllocatorTrim: Sendable {
  static let shared = AllocatorTrim { onefix_return_memory() }
  static let pause = TimeAmount.seconds(30)

  private let trim: @Sendable () -> Void
  private let isDue = Atomic<Bool>(false)

  init(_ trim: @escaping @Sendable () -> Void) { self.trim = trim }

  /// Schedules the return of free memory to the operating system, 30 s after the end of a connection.
  func noteDeparture(on eventLoop: any EventLoop) {
    guard !isDue.exchange(true, ordering: .relaxed) else { return }
    eventLoop.scheduleTask(in: Self.pause) {
      self.isDue.store(false, ordering: .relaxed)
      self.trim()
    }
  }
}
