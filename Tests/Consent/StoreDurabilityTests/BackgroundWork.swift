import Foundation
import Glibc

/// Runs long work on separate threads with low priority, so that other tests, which wait for a daemon, are not delayed.
///
/// - Parameters:
///   - workers: The number of threads.
///   - work: The work of one thread. It receives the number of the thread.
func runInBackground(workers: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for worker in 0..<workers {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            // The priority applies to this thread and the programs that it starts.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            work(worker)
            continuation.resume()
          }
        }
      }
    }
  }
}
