import Clocks

/// Which day it is: sentences with a day teach it, those with a time alone ask it.
struct Calendar: Sendable {
  let floor: UTCDate?
  private var day: Int?
  /// Nanoseconds since midnight at which `day` was true.
  private var time: Int64 = 0
  private(set) var isCorrected = false
  /// The days last counted and named: nearly every epoch is of the same day as the one before.
  private var counted = UTCDate(year: 1970, month: 1, day: 1)!
  private var countedDays = 0

  private static let halfDay: Int64 = 43_200_000_000_000
  private static let rollover = 1024 * 7

  init(floor: UTCDate?) {
    self.floor = floor
  }

  /// A receiver says what day it is at a time of that day.
  ///
  /// The days with which receivers start cold are none. One before the floor is moved where the receiver has a fix, and
  /// is none where it has not: such a clock was never set.
  mutating func learn(_ date: UTCDate, at time: TimeOfDay, hasFix: Bool) {
    // 1980-01-06 is GPS week 0; receivers start a day around it, or write it as 2080.
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

  /// The day at that time: of all days on which it is that time, the one nearest to what was last known.
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

  /// After a silence of hours the nearest day need not be the right one.
  mutating func forget() {
    day = nil
    isCorrected = false
  }
}
