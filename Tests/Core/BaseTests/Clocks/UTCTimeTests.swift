import Base
import Testing

@Test func `every day from 1583 to 2599 is converted to a day number and back`() throws {
  let first = try #require(UTCDate(year: 1583, month: 1, day: 1)).daysSince1970
  let last = try #require(UTCDate(year: 2599, month: 12, day: 31)).daysSince1970
  var previous: UTCDate?
  for number in first...last {
    let date = try #require(UTCDate(daysSince1970: number))
    #expect(date.daysSince1970 == number)
    if let previous { #expect(previous < date) }
    previous = date
  }
}

@Test(
  arguments: [
    (1970, 1, 1, 0), (2000, 2, 29, 11_016), (2026, 11, 21, 20_778), (1969, 12, 31, -1), (1, 1, 1, -719_162),
    (9999, 12, 31, 2_932_896), (2026, 2, 29, nil), (2100, 2, 29, nil), (2026, 4, 31, nil), (2026, 0, 1, nil),
    (2026, 13, 1, nil), (2026, 1, 0, nil), (0, 1, 1, nil), (10_000, 1, 1, nil),
  ] as [(Int, Int, Int, Int?)])
func `known days have their POSIX numbers, and a day that does not exist is not a date`(
  year: Int, month: Int, day: Int, number: Int?
) {
  #expect(UTCDate(year: year, month: month, day: day)?.daysSince1970 == number)
}

@Test(arguments: [
  (24, 0, 0, 0), (-1, 0, 0, 0), (0, 60, 0, 0), (0, -1, 0, 0), (0, 0, 61, 0), (0, 0, -1, 0), (0, 0, 0, 1_000_000_000),
  (0, 0, 0, -1),
])
func `a time of day that does not exist is refused`(hour: Int, minute: Int, second: Int, nanosecond: Int) {
  #expect(TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) == nil)
}

@Test func `times of day are ordered, and midnight follows the last second`() throws {
  let times = try [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0), (23, 59, 60, 999_999_999)].map
  {
    try #require(TimeOfDay(hour: $0.0, minute: $0.1, second: $0.2, nanosecond: $0.3))
  }
  let nanoseconds: [Int64] = [0, 1, 1_000_000_000, 60_000_000_000, 3_600_000_000_000, 86_400_999_999_999]
  #expect(times.map(\.nanosecondsSinceMidnight) == nanoseconds)
  #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
  // POSIX time counts a leap second as the first second of the next day.
  #expect(times[5].advanced(byNanoseconds: 1) == times[2])
  #expect(times[1].advanced(byNanoseconds: -2) == TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 999_999_999))
  #expect(times[0].advanced(byNanoseconds: 90_000_000_000_000) == times[4])
}

@Test func `times are ordered by their day and then by their time of day`() {
  let times = ["2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2026-02-01T00:00:00Z"]
    .map { UTCTime(iso8601: $0)! }
  #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
  #expect(times[1] == .firstGateways)
}

@Test(arguments: [("0001-01-01T00:00:00Z", Int64.min), ("9999-12-31T00:00:00Z", .max)])
func `a time beyond 64 bits of nanoseconds gives the end of their range`(text: String, nanoseconds: Int64) {
  #expect(UTCTime(iso8601: text)?.nanosecondsSince1970 == nanoseconds)
}

@Test(arguments: [
  (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (.min, "1677-09-21T00:12:43.145Z"),
  (.max, "2262-04-11T23:47:16.854Z"),
  (1_795_246_294_200_999_999, "2026-11-21T07:31:34.200Z"),
])
func `a time is formatted as ISO 8601 with truncated milliseconds`(nanoseconds: Int64, text: String) {
  let time = UTCTime(nanosecondsSince1970: nanoseconds)
  #expect(time.iso8601 == text && time.nanosecondsSince1970 == nanoseconds)
}

@Test func `arithmetic on instants saturates instead of trapping`() {
  let end = MonotonicInstant(nanoseconds: .max)
  let start = MonotonicInstant(nanoseconds: .min)
  #expect(end + .seconds(1) == end && start - .seconds(1) == start)
  #expect(start + .seconds(Int64.max) == end || start + .seconds(Int64.max) > start)
  #expect(end - start == .nanoseconds(Int64.max) - .nanoseconds(Int64.min))
  #expect(MonotonicInstant(nanoseconds: 5) - MonotonicInstant(nanoseconds: 7) == .nanoseconds(-2))
}
