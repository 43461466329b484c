import Clocks

/// Tracks the current day. Sentences with a date set the day; sentences with only a time of day query it.
struct Calendar: Sendable {
  let floor: UTCDate?
  private var day: Int?
  /// Nanoseconds since midnight: the time at which `day` was current.
  private var time: Int64 = 0
  private(set) var isCorrected = false
  /// The last converted date and its day number. Nearly every epoch is on the same day as the previous one.
  private var counted = UTCDate(year: 1970, month: 1, day: 1)!
  private var countedDays = 0

  private static let halfDay: Int64 = 43_200_000_000_000
  private static let rollover = 1024 * 7

  init(floor: UTCDate?) {
    self.floor = floor
  }

  /// Sets the current day.
  ///
  /// Default dates of receivers after a cold start are ignored. A date before the floor is moved by 1024-week periods
  /// if the receiver has a fix. Without a fix it is ignored, because the receiver's clock was never set.
  mutating func learn(_ date: UTCDate, at time: TimeOfDay, hasFix: Bool) {
    // 1980-01-06 is GPS week 0. Receivers start a few days around it, or write its year as 2080.
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

  /// Returns the date at a time of day: the day nearest to the last known instant. Returns nil if no day is known.
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

  /// Discards the day. After hours of silence the nearest day may be wrong.
  mutating func forget() {
    day = nil
    isCorrected = false
  }
}
