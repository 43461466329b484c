import Clocks
import FoundationEssentials
import Synchronization
import OperatingSystem

/// Tells the service manager that a service lives, for as long as every part of it answers: one that is stuck is started
/// anew. (systemd.service(5), WatchdogSec=)
package struct Watchdog: Sendable {
  /// A part that may be stuck by itself.
  package struct Part: Sendable {
    /// As people know it.
    package var name: String
    /// Returns when the part has come to it.
    package var answer: @Sendable () async -> Void

    package init(_ name: String, answer: @escaping @Sendable () async -> Void) {
      self.name = name
      self.answer = answer
    }
  }

  /// How often the parts are asked: half of the time after which the service manager acts.
  package let interval: Duration

  package init(interval: Duration) {
    self.interval = interval
  }

  /// What the service manager asks of this process; nil where it asks for nothing.
  package static var asked: Watchdog? {
    let process = ProcessInfo.processInfo
    return Watchdog(process: process.processIdentifier) { process.environment[$0] }
  }

  /// - Parameter environment: of the process; it may name another one, as whose child this one runs.
  init?(process: Int32, environment: (String) -> String?) {
    guard let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 1 else { return nil }
    if let other = environment("WATCHDOG_PID"), Int32(other) != process { return nil }
    interval = .microseconds(microseconds / 2)
  }

  /// Asks every part, again and again, until the surrounding task is cancelled. A part that is stuck holds up nobody.
  /// - Parameters:
  ///   - isAlive: told each time that all have answered.
  ///   - isStuck: told, once, who has not answered in time.
  package func run(
    _ parts: [Part], isAlive: @escaping @Sendable () async -> Void, isStuck: @Sendable ([String]) -> Void
  ) async {
    while true {
      let round = Round(parts.count)
      for (number, part) in parts.enumerated() {
        Task {
          await part.answer()
          if round.note(number) { await isAlive() }
        }
      }
      var isTold = false
      repeat {
        do { try await SystemClock.sleep(until: SystemClock.monotonic + interval) } catch { return }
        let silent = round.silent.map { parts[$0].name }
        if !silent.isEmpty, !isTold { isStuck(silent) }
        isTold = true
      } while !round.silent.isEmpty
    }
  }
}

/// Who has not answered yet.
private final class Round: Sendable {
  private let waiting: Mutex<Set<Int>>

  init(_ count: Int) {
    waiting = Mutex(Set(0..<count))
  }

  /// - Returns: whether that was the last.
  func note(_ number: Int) -> Bool {
    waiting.withLock { waiting in
      waiting.remove(number)
      return waiting.isEmpty
    }
  }

  var silent: [Int] { waiting.withLock { $0.sorted() } }
}
