import Foundation
import Glibc
import Synchronization

/// Runs long work on separate threads with low priority, so that other tests, which wait for a daemon, are not delayed.
///
/// - Parameters:
///   - workers: The number of threads.
///   - work: The work of one thread. It receives the number of the thread.
func runInBackground(workers: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { continuation in
    let latch = CountdownLatch(left: workers, continuation)
    for worker in 0..<workers {
      Thread.detachNewThread {
        // The priority applies to this thread and the programs that it starts.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        work(worker)
        latch.countDown()
      }
    }
  }
}

/// Resumes a continuation after the last worker has finished.
private final class CountdownLatch: Sendable {
  private let left: Mutex<Int>
  private let continuation: CheckedContinuation<Void, Never>

  init(left: Int, _ continuation: CheckedContinuation<Void, Never>) {
    self.left = Mutex(left)
    self.continuation = continuation
  }

  func countDown() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { continuation.resume() }
  }
}
