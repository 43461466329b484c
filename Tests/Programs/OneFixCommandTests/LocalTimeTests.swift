import Base
import OperatingSystem
import Testing

@testable import onefix

@Test(arguments: [
  (3600, "11-22 00:31:34"), (-5 * 3600, "18:31:34"), (19_800, "11-22 05:01:34"), (0, "23:31:34"),
])
func `a local time has its date only if the date differs from the date in UTC`(east: Int, text: String) throws {
  let time = try #require(UTCTime(iso8601: "2026-11-21T23:31:34.000Z"))
  #expect(LocalTime.text(of: time, secondsEast: east) == text)
}
