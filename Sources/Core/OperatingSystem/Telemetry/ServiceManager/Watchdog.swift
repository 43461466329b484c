import Base
import Glibc
import Synchronization

/// The systemd watchdog of the daemon. The watchdog regularly asks each thread and actor for a reply, and notifies
/// systemd when all have replied. Without these notifications, systemd restarts the daemon. (systemd.service(5),
/// WatchdogSec=)
package struct Watchdog: Sendable {
  /// A thread or an actor of the daemon that the watchdog checks.
  package struct Part: Sendable {
    package var name: String
    /// A function that asks the thread or the actor for a reply, and returns after the reply.
    package var answer: @Sendable () async -> Void

    package init(_ name: String, answer: @escaping @Sendable () async -> Void) {
      self.name = name
      self.answer = answer
    }
  }

  /// The time between two checks of all threads and actors: half of the timeout in systemd.
  package let interval: Duration
  /// The function that waits between two checks of all threads and actors. Tests replace this function.
  private let sleep: @Sendable (Duration) async throws -> Void

  init(interval: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void = Watchdog.sleep) {
    self.interval = interval
    self.sleep = sleep
  }

  /// The watchdog for this process, if systemd requests one in the environment variables; otherwise nil.
  package static var requested: Watchdog? {
    Watchdog(process: getpid(), environment: environmentVariable)
  }

  /// Creates a watchdog from the environment variables `WATCHDOG_USEC` and `WATCHDOG_PID`. Returns nil if
  /// `WATCHDOG_USEC` is missing or invalid, or if `WATCHDOG_PID` names another process, from which this process
  /// inherited the variables.
  init?(process: Int32, environment: (String) -> String?) {
    guard let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 1 else { return nil }
    if let other = environment("WATCHDOG_PID"), Int32(other) != process { return nil }
    self.init(interval: .microseconds(microseconds / 2))
  }

  static func sleep(_ duration: Duration) async throws {
    try await SystemClock.sleep(until: SystemClock.monotonic + duration)
  }

  /// Checks all threads and actors again and again, until the task is cancelled. One hanging thread does not delay the
  /// checks of the others.
  /// - Parameters:
  ///   - isAlive: Called after all threads and actors have replied to a check.
  ///   - isStuck: Called at most once for each check, with the names of the threads and actors that have not replied
  ///     within `interval`.
  package func run(
    _ parts: [Part], isAlive: @escaping @Sendable () async -> Void, isStuck: @Sendable ([String]) -> Void
  ) async {
    while true {
      let replies = ReplyTracker(parts.count)
      for (number, part) in parts.enumerated() {
        Task {
          await part.answer()
          if replies.record(number) { await isAlive() }
        }
      }
      var isReported = false
      repeat {
        do { try await sleep(interval) } catch { return }
        let silent = replies.silent.map { parts[$0].name }
        if !silent.isEmpty, !isReported { isStuck(silent) }
        isReported = true
      } while !replies.silent.isEmpty
    }
  }
}

/// A set of the threads and actors that have not replied to the present check. The set contains indices in the list of
/// parts.
private final class ReplyTracker: Sendable {
  private let waiting: Mutex<Set<Int>>

  init(_ count: Int) {
    waiting = Mutex(Set(0..<count))
  }

  /// Records the reply of the thread or actor with this index. Returns whether all threads and actors have replied now.
  func record(_ number: Int) -> Bool {
    waiting.withLock { waiting in
      waiting.remove(number)
      return waiting.isEmpty
    }
  }

  var silent: [Int] { waiting.withLock { $0.sorted() } }
}
