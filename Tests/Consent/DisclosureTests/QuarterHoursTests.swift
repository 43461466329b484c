import Base
import Testing

@testable import Disclosure

/// The schedule of approximate updates.
@Suite struct QuarterHoursTests {
  private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  private func utc(_ hour: Int, _ minute: Int, _ second: Int = 0, _ nanosecond: Int = 0) -> UTCTime {
    UTCTime(
      date: UTCDate(year: 2026, month: 11, day: 21)!,
      timeOfDay: TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)!)
  }

  @Test func `the first message is due at once, the next at the quarter hour`() {
    var hours = QuarterHours(interval: 0)
    #expect(hours.isDue(at: start))
    #expect(hours.advance(utc(7, 22, 30), at: start) == utc(7, 22, 30))
    #expect(hours.due == start + .seconds(450))
    #expect(!hours.isDue(at: start + .milliseconds(449_999)))
    #expect(hours.isDue(at: start + .seconds(450)))
  }

  /// Intervals in milliseconds, and their quarter hours.
  static let strides: [(interval: Int, stride: Int64)] = [
    (0, 1), (1, 1), (899_999, 1), (900_000, 1), (900_001, 2), (1_800_000, 2), (1_800_001, 3), (3_600_000, 4),
    (86_400_000, 96),
  ]

  @Test(arguments: strides)
  func `a longer interval is rounded up to whole quarter hours`(interval: Int, stride: Int64) {
    var hours = QuarterHours(interval: interval)
    #expect(hours.stride == stride)
    _ = hours.advance(utc(7, 0), at: start)
    #expect(hours.due == start + .seconds(900 * stride))
  }

  @Test func `a clock up to a minute late gives the quarter hour that is due, and any other time is believed`() {
    let late = utc(7, 13, 59, 999_999_999)
    let (earliest, latest) = (UTCTime(nanosecondsSince1970: .min), UTCTime(nanosecondsSince1970: .max))
    for (told, taken) in [
      (utc(7, 14), utc(7, 15)), (utc(7, 14, 59, 400_000_000), utc(7, 15)), (late, late), (earliest, earliest),
      (utc(7, 15, 0, 1), utc(7, 15, 0, 1)), (utc(9, 0), utc(9, 0)), (latest, latest),
    ] {
      var hours = QuarterHours(interval: 0)
      _ = hours.advance(utc(7, 14, 59), at: start)
      let now = start + .seconds(1)
      #expect(hours.advance(told, at: now) == taken)
      #expect(hours.due == now + .nanoseconds(900_000_000_000 - taken.quarterHour.elapsed))
    }
  }

  @Test func `without a clock the schedule continues from the last message, and before the first there is none`() {
    var hours = QuarterHours(interval: 0)
    #expect(hours.advance(nil, at: start) == nil)
    #expect(hours.due == nil)
    _ = hours.advance(utc(7, 10), at: start)
    #expect(hours.advance(nil, at: start + .seconds(300)) == utc(7, 15))
    // Late, as on a machine that slept.
    #expect(hours.advance(nil, at: start + .seconds(300 + 905)) == utc(7, 30, 5))
    #expect(hours.due == start + .seconds(300 + 1800))
  }

  /// Nanoseconds since 1970, the number of the quarter hour, and the nanoseconds since its beginning.
  static let numbers: [(time: Int64, number: Int64, elapsed: Int64)] = [
    (0, 0, 0), (899_999_999_999, 0, 899_999_999_999), (900_000_000_000, 1, 0), (-1, -1, 899_999_999_999),
    (-900_000_000_000, -1, 0), (-900_000_000_001, -2, 899_999_999_999),
  ]

  @Test(arguments: numbers)
  func `quarter hours are counted from 1970, also before that year`(time: Int64, number: Int64, elapsed: Int64) {
    let quarterHour = UTCTime(nanosecondsSince1970: time).quarterHour
    #expect(quarterHour.number == number && quarterHour.elapsed == elapsed)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `whatever the clock shows, the next message is due within a quarter hour`(nanoseconds: Int64) throws {
    var hours = QuarterHours(interval: 0)
    for _ in 0..<3 {
      _ = hours.advance(UTCTime(nanosecondsSince1970: nanoseconds), at: start)
      let due = try #require(hours.due)
      #expect(start < due && due <= start + .seconds(900))
    }
  }
}
