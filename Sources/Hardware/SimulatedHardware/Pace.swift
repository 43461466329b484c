import Clocks
import OperatingSystem

/// How what is simulated keeps time: by the machine's clocks, or, in tests, as the test says.
struct Pace: Sendable {
  var reading: @Sendable () -> ClockReading
  /// Returns at an instant, or throws when the surrounding task is cancelled.
  var sleep: @Sendable (_ until: MonotonicInstant) async throws -> Void

  static let real = Pace(
    reading: { SystemClock.reading }, sleep: { instant in try await SystemClock.sleep(until: instant) })

  /// Waits for an instant; false when the surrounding task was cancelled meanwhile.
  func reaches(_ instant: MonotonicInstant) async -> Bool {
    do {
      try await sleep(instant)
      return true
    } catch {
      return false
    }
  }
}
