package import Base
import OperatingSystem

/// The clock of a simulation: the real clock of this machine, or the clock of a test.
package struct SimulationClock: Sendable {
  var reading: @Sendable () -> ClockReading
  /// A closure that waits until an instant. The closure throws an error if the task is cancelled.
  var sleep: @Sendable (_ until: MonotonicInstant) async throws -> Void

  package init(
    reading: @escaping @Sendable () -> ClockReading,
    sleep: @escaping @Sendable (_ until: MonotonicInstant) async throws -> Void
  ) {
    self.reading = reading
    self.sleep = sleep
  }

  package static let system = SimulationClock(
    reading: { SystemClock.reading }, sleep: { instant in try await SystemClock.sleep(until: instant) })

  /// Waits until an instant. Returns false if the task was cancelled.
  func wait(until instant: MonotonicInstant) async -> Bool {
    do {
      try await sleep(instant)
      return true
    } catch {
      return false
    }
  }
}
