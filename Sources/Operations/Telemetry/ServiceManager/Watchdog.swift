import Base
import Glibc
import OperatingSystem
import Synchronization

/// A watchdog that notifies the service manager that a service is alive, while every part of the service replies to
/// checks. Without these notifications, the service manager restarts the service. (systemd.service(5), WatchdogSec=)
package struct Watchdog: Sendable {
  /// A part of the service that can stop replying while all other parts continue to reply.
  package struct Part: Sendable {
    package var name: String
    /// Asks the part for a reply, and returns when the part has replied.
    package var answer: @Sendable () async -> Void

    package init(_ name: String, answer: @escaping @Sendable () async -> Void) {
      self.name = name
      self.answer = answer
    }
  }

  /// The time between two checks of all parts: half of the service manager's timeout.
  package let interval: Duration
  /// Waits between two checks.
  private let sleep: @Sendable (Duration) async throws -> Void

  init(interval: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void = Watchdog.sleep) {
    self.interval = interval
    self.sleep = sleep
  }

  /// The watchdog that the service manager requests for this process; nil if the service manager requests no watchdog.
  package static var requested: Watchdog? {
    Watchdog(process: getpid(), environment: environmentVariable)
  }

  /// Returns nil if the variable `WATCHDOG_USEC` of the environment is missing or invalid, or if the variable
  /// `WATCHDOG_PID` names another process, because this process has inherited the variables.
  init?(process: Int32, environment: (String) -> String?) {
    guard let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 1 else { return nil }
    if let other = environment("WATCHDOG_PID"), Int32(other) != process { return nil }
    self.init(interval: .microseconds(microseconds / 2))
  }

  static func sleep(_ duration: Duration) async throws {
    try await SystemClock.sleep(until: SystemClock.monotonic + duration)
  }

  /// Checks every part repeatedly, until the task is cancelled. A part that hangs does not delay the checks of the
  /// other parts in the same round.
  /// - Parameters:
  ///   - isAlive: called in each round of checks in which all parts have replied.
  ///   - isStuck: called at most once in each round of checks, with the names of the parts that have not replied within
  ///     `interval`.
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

/// The parts that have not replied in this round of checks.
private final class ReplyTracker: Sendable {
  private let waiting: Mutex<Set<Int>>

  init(_ count: Int) {
    waiting = Mutex(Set(0..<count))
  }

  /// Records the reply of a part. Returns whether all parts have now replied.
  func record(_ number: Int) -> Bool {
    waiting.withLock { waiting in
      waiting.remove(number)
      return waiting.isEmpty
    }
  }

  var silent: [Int] { waiting.withLock { $0.sorted() } }
}
