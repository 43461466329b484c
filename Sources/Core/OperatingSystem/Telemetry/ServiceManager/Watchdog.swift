import Base
import Glibc
import Synchronization

/// The systemd watchdog: notifies the service manager while each thread and actor of the daemon replies to checks.
/// Without these notifications, the service manager restarts the daemon. (systemd.service(5), WatchdogSec=)
package struct Watchdog: Sendable {
  /// A thread or an actor of the daemon, which can hang while the other threads and actors continue to reply.
  package struct Part: Sendable {
    package var name: String
    /// Asks the thread or the actor for a reply, and returns when the reply has arrived.
    package var answer: @Sendable () async -> Void

    package init(_ name: String, answer: @escaping @Sendable () async -> Void) {
      self.name = name
      self.answer = answer
    }
  }

  /// The time between two rounds of checks: half of the service manager's timeout.
  package let interval: Duration
  /// Waits between two rounds of checks.
  private let sleep: @Sendable (Duration) async throws -> Void

  init(interval: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void = Watchdog.sleep) {
    self.interval = interval
    self.sleep = sleep
  }

  /// The watchdog that the service manager requests for this process; nil if the service manager requests none.
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

  /// Checks all threads and actors in rounds, until the task is cancelled. A thread that hangs does not delay the
  /// checks of the others in the same round.
  /// - Parameters:
  ///   - isAlive: Called in each round after all threads and actors have replied.
  ///   - isStuck: Called at most once in each round, with the names of the threads and actors that have not replied
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

/// The threads and actors that have not replied in this round, by their index in the list.
private final class ReplyTracker: Sendable {
  private let waiting: Mutex<Set<Int>>

  init(_ count: Int) {
    waiting = Mutex(Set(0..<count))
  }

  /// Records a reply. Returns whether all threads and actors have replied now.
  func record(_ number: Int) -> Bool {
    waiting.withLock { waiting in
      waiting.remove(number)
      return waiting.isEmpty
    }
  }

  var silent: [Int] { waiting.withLock { $0.sorted() } }
}
