import Foundation
import Glibc
import Synchronization

/// Does long work on threads of its own, each told its number, behind all that has to be done in time: other tests wait
/// for a daemon to answer.
func aside(workers: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { continuation in
    let end = End(left: workers, continuation)
    for worker in 0..<workers {
      Thread.detachNewThread {
        // Of this thread alone, and of the programs that it starts.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        work(worker)
        end.reached()
      }
    }
  }
}

/// Resumes when the last has reached it.
private final class End: Sendable {
  private let left: Mutex<Int>
  private let continuation: CheckedContinuation<Void, Never>

  init(left: Int, _ continuation: CheckedContinuation<Void, Never>) {
    self.left = Mutex(left)
    self.continuation = continuation
  }

  func reached() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { continuation.resume() }
  }
}
