package import Clocks
import Glibc

/// The machine's clocks. Adapters and the composition read them; everything pure is told the time.
package enum SystemClock {
  /// `CLOCK_MONOTONIC`, with which the kernel stamps edges too.
  package static var monotonic: MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds(CLOCK_MONOTONIC))
  }

  /// Both clocks at one moment.
  package static var reading: ClockReading {
    let before = nanoseconds(CLOCK_MONOTONIC)
    let utc = UTCTime(nanosecondsSince1970: nanoseconds(CLOCK_REALTIME))
    let after = nanoseconds(CLOCK_MONOTONIC)
    return ClockReading(monotonic: MonotonicInstant(nanoseconds: before + (after - before) / 2), utc: utc)
  }

  /// Returns at an instant, or at once where it has passed.
  /// - Throws: `CancellationError` when the surrounding task is cancelled.
  package static func sleep(until instant: MonotonicInstant) async throws {
    let remaining = instant - monotonic
    try await Task.sleep(for: remaining, tolerance: .zero, clock: .suspending)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // Both clocks exist on every Linux, and the pointer is good for the call.
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
