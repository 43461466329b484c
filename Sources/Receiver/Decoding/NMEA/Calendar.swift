import Base
import GNSS

/// A tracker of the current day. It returns the date for sentences that contain only a time of day.
struct Calendar: Sendable {
  let floor: UTCDate?
  private var day: Int?
  /// The last known time of the day `day`, in nanoseconds since midnight.
  private var time: Int64 = 0
  private(set) var isCorrected = false
  /// The last date that was converted from a day number. Most epochs are on this day and need no new conversion.
  private var counted = UTCDate(year: 1970, month: 1, day: 1)!
  private var countedDays = 0

  private static let halfDay: Int64 = 43_200_000_000_000
  private static let rollover = 1024 * 7

  init(floor: UTCDate?) {
    self.floor = floor
  }

  /// Sets the current day. A date on which no receiver has measured is ignored. A date before `floor`,
  /// the earliest plausible date, moves forward by periods of 1024 weeks. Without a fix, a date before `floor` is
  /// ignored, because the receiver's clock was never set.
  mutating func learn(_ date: UTCDate, at time: TimeOfDay, hasFix: Bool) {
    guard date.isPlausible else { return }
    if date != counted {
      counted = date
      countedDays = date.daysSince1970
    }
    var days = countedDays
    var corrected = false
    if let floor, date < floor {
      guard hasFix else { return }
      let missing = floor.daysSince1970 - days
      days += (missing + Calendar.rollover - 1) / Calendar.rollover * Calendar.rollover
      corrected = true
    }
    day = days
    self.time = time.nanosecondsSinceMidnight
    isCorrected = corrected
  }

  /// Returns the date for a time of day. The result is the date that is nearest to the last known instant; nil if no
  /// day is known.
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

  /// Discards the day, which may be wrong after hours of silence.
  mutating func forget() {
    day = nil
    isCorrected = false
  }
}
