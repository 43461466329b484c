import Base
import GNSS

/// The current date according to the receiver. Most NMEA sentences contain only a time of day, so the type keeps the
/// date of an earlier sentence and detects midnight.
struct Calendar: Sendable {
  let floor: UTCDate?
  private var day: Int?
  /// The latest time of day in nanoseconds since midnight.
  private var time: Int64 = 0
  /// The count of days that `learn` added to the date of the receiver.
  private(set) var addedDays = 0
  /// The date that belongs to `countedDays`. With this value, a sentence with the same date needs no new computation.
  private var counted = UTCDate(year: 1970, month: 1, day: 1)!
  private var countedDays = 0

  private static let halfDay: Int64 = 43_200_000_000_000
  private static let rollover = 1024 * 7

  init(floor: UTCDate?) {
    self.floor = floor
  }

  /// Sets the current date from a date of the receiver. The function ignores an implausible date.
  ///
  /// A date before `floor` (the earliest possible date) results from a rollover of the GPS week number, so the function
  /// adds periods of 1024 weeks. Without a fix, the function ignores such a date, because the receiver has not yet set
  /// its clock.
  mutating func learn(_ date: UTCDate, at time: TimeOfDay, hasFix: Bool) {
    guard date.isPlausible else { return }
    if date != counted {
      counted = date
      countedDays = date.daysSince1970
    }
    var added = 0
    if let floor, date < floor {
      guard hasFix else { return }
      let missing = floor.daysSince1970 - countedDays
      added = (missing + Calendar.rollover - 1) / Calendar.rollover * Calendar.rollover
    }
    day = countedDays + added
    self.time = time.nanosecondsSinceMidnight
    addedDays = added
  }

  /// Returns the date on which the time of day is nearest to the latest known instant; nil if no date is known.
  mutating func date(at time: TimeOfDay) -> UTCDate? {
    guard var day else { return nil }
    let nanoseconds = time.nanosecondsSinceMidnight
    if nanoseconds - self.time > Calendar.halfDay {
      day -= 1
    } else if self.time - nanoseconds > Calendar.halfDay {
      day += 1
    }
    self.day = day
    self.time = nanoseconds
    if day != countedDays {
      guard let date = UTCDate(daysSince1970: day) else { return nil }
      counted = date
      countedDays = day
    }
    return counted
  }

  /// Discards the date, which may be wrong after hours without data.
  mutating func forget() {
    day = nil
    addedDays = 0
  }
}
