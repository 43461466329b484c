import Clocks

/// A tracker of the current day. Sentences with a date set the day. For a sentence that contains only a time of day,
/// the calendar returns the date.
struct Calendar: Sendable {
  let floor: UTCDate?
  private var day: Int?
  /// The time of day that the calendar received or converted last, in nanoseconds since midnight. The date of this time
  /// is `day`.
  private var time: Int64 = 0
  private(set) var isCorrected = false
  /// The date of the last conversion from a day number. Nearly every epoch is on the same day as the epoch before it.
  /// So the calendar rarely needs a new conversion.
  private var counted = UTCDate(year: 1970, month: 1, day: 1)!
  /// The number of days from 1970-01-01 to the date `counted`.
  private var countedDays = 0

  private static let halfDay: Int64 = 43_200_000_000_000
  private static let rollover = 1024 * 7

  init(floor: UTCDate?) {
    self.floor = floor
  }

  /// Sets the current day.
  ///
  /// The calendar ignores the default date that receivers send after a cold start. `floor` is the earliest plausible
  /// date. If a date is before `floor` and the receiver has a fix, the calendar moves the date forward by periods of
  /// 1024 weeks. If a date is before `floor` and the receiver has no fix, its clock was never set, and the calendar
  /// ignores the date.
  mutating func learn(_ date: UTCDate, at time: TimeOfDay, hasFix: Bool) {
    // GPS time begins on 1980-01-06. After a cold start, receivers send a date near this day, with the year 1980 or
    // 2080.
    if date.month == 1, date.day <= 7, date.year == 1980 || date.year == 2080 { return }
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

  /// Returns the date for a time of day. The function considers the last known day, the day before it, and the day
  /// after it. It returns the date for which the time of day is nearest to the last known instant. Returns nil if no
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

  /// Discards the day. After hours of silence, the day that `date(at:)` assumes may be wrong.
  mutating func forget() {
    day = nil
    isCorrected = false
  }
}
