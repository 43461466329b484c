import Base
import Foundation
import Glibc
import OperatingSystem
import Requirements
import Testing

@Suite(.patient) struct ClockTests {
  private func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @Test func `a reading has the times of three clocks of Linux at one instant`() {
    let clocks = [CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME]
    let before = clocks.map(nanoseconds)
    let reading = SystemClock.reading
    let after = clocks.map(nanoseconds)
    let times = [reading.monotonic.nanoseconds, reading.utc.nanosecondsSince1970, reading.boot.nanoseconds]
    #expect(zip(before, times).allSatisfy { $0 <= $1 } && zip(times, after).allSatisfy { $0 <= $1 })
  }

  @Test func `a sleep ends at its instant, at once if the instant has passed, and with an error if it is cancelled`()
    async throws
  {
    let instant = SystemClock.monotonic + .milliseconds(2)
    try await SystemClock.sleep(until: instant)
    #expect(SystemClock.monotonic >= instant)
    try await SystemClock.sleep(until: instant - .seconds(3600))
    let sleeping = Task { try await SystemClock.sleep(until: instant + .seconds(3600)) }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test func `the boot of the machine has a UUID`() { #expect(UUID(uuidString: SystemClock.boot) != nil) }

  /// The process of an exit test has an environment of its own.
  @Test func `the local time is that of the variable TZ, also in summer, before 1970 and after a change of TZ`() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      let winter = try #require(UTCTime(iso8601: "2026-01-31T23:31:34Z"))
      let summer = try #require(UTCTime(iso8601: "2026-07-31T22:31:34Z"))
      let early = try #require(UTCTime(iso8601: "1969-12-31T12:00:00Z"))
      #expect([winter, summer, early].map(LocalTime.minuteOfDay) == [31, 31, 780])
      #expect(LocalTime.minute(of: winter, now: winter) == "00:31")
      #expect(LocalTime.minute(of: winter, now: summer) == "2026-02-01 00:31")
      let text = try #require(LocalTime.reader)
      #expect(text(winter) == "02-01 00:31:34" && text(summer) == "08-01 00:31:34" && text(early) == "13:00:00")
      unsafe setenv("TZ", "UTC0", 1)
      #expect(LocalTime.reader == nil && LocalTime.minuteOfDay(winter) == 1411)
    }
  }
}
