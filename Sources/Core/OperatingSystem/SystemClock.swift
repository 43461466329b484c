package import Base
import Glibc

/// Functions that read the clocks of the machine. Only programs, and types that exchange data with devices or networks,
/// call these functions. Other types receive the time as an argument.
package enum SystemClock {
  /// The present time of the monotonic clock (`CLOCK_MONOTONIC`), which the kernel also uses for timestamps of GPIO
  /// lines.
  package static var monotonic: MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds(CLOCK_MONOTONIC))
  }

  package static var reading: ClockReading {
    let before = nanoseconds(CLOCK_MONOTONIC)
    let utc = UTCTime(nanosecondsSince1970: nanoseconds(CLOCK_REALTIME))
    let boot = nanoseconds(CLOCK_BOOTTIME)
    let after = nanoseconds(CLOCK_MONOTONIC)
    let monotonic = before + (after - before) / 2
    return ClockReading(
      monotonic: MonotonicInstant(nanoseconds: monotonic), utc: utc,
      suspended: .nanoseconds(max(0, boot - monotonic)))
  }

  /// The identifier that Linux gives the present boot of the machine; empty if the identifier cannot be read.
  package static var boot: String {
    firstLine(of: "/proc/sys/kernel/random/boot_id")
  }

  /// Waits until an instant. Returns immediately if the instant has passed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package static func sleep(until instant: MonotonicInstant) async throws {
    let remaining = instant - monotonic
    try await Task.sleep(for: remaining, tolerance: .zero, clock: .suspending)
  }

  /// Whether the wall clock is right. Either systemd-timesyncd has set the wall clock since the boot, or a real-time
  /// clock, from which Linux set the wall clock, shows the same time. A board without a battery starts with the time of
  /// its last shutdown.
  package static var isWallClockSet: Bool {
    if unsafe access("/run/systemd/timesync/synchronized", F_OK) == 0 { return true }
    let now = nanoseconds(CLOCK_REALTIME) / 1_000_000_000
    return ["rtc0", "rtc1"].contains { name in
      guard firstLine(of: "/sys/class/rtc/\(name)/hctosys") == "1" else { return false }
      return Int64(firstLine(of: "/sys/class/rtc/\(name)/since_epoch")).map { ($0 - now).magnitude <= 60 } ?? false
    }
  }

  /// Returns the first line of a small file of the kernel; empty if the file cannot be read.
  private static func firstLine(of path: String) -> String {
    let bytes = try? OpenFile(path).read(atMost: 4096)
    return String(decoding: bytes?.prefix { $0 != UInt8(ascii: "\n") } ?? [], as: UTF8.self)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // Every Linux system has both clocks, and the pointer is valid during the call.
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
