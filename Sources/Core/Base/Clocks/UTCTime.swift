/// A calendar day in UTC (proleptic Gregorian calendar).
public struct UTCDate: Hashable, Comparable, Sendable {
  /// The year, 1...9999.
  public let year: Int
  /// The month, 1...12.
  public let month: Int
  /// The day of the month, from 1 to the last day of the month.
  public let day: Int

  /// Creates a day. Returns nil if the day does not exist, for example February 30.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= UTCDate.days(inMonth: month, ofYear: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day that is `days` days after 1970-01-01. Returns nil if the year is not 1...9999.
  public init?(daysSince1970 days: Int) {
    // The algorithm civil-from-days counts 400-year eras of 146,097 days from 0000-03-01 (H. Hinnant,
    // "chrono-compatible low-level date algorithms").
    guard (-719_162...2_932_896).contains(days) else { return nil }
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The count of days since 1970-01-01; negative before that day.
  public var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  public static func < (left: UTCDate, right: UTCDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  static func days(inMonth month: Int, ofYear year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A time of day in UTC. A leap second is 23:59:60.
public struct TimeOfDay: Hashable, Comparable, Sendable {
  /// The hour, 0...23.
  public let hour: Int
  /// The minute, 0...59.
  public let minute: Int
  /// The second, 0...60; 60 only in a leap second.
  public let second: Int
  /// The nanosecond within the second, 0...999_999_999.
  public let nanosecond: Int

  /// Creates a time of day. Returns nil if an argument is out of range.
  @inlinable @inline(__always)
  public init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      (0...999_999_999).contains(nanosecond)
    else { return nil }
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }

  /// The nanoseconds since midnight, less than 86,401 s. A day with a leap second has 86,401 seconds.
  @inlinable @inline(__always)
  public var nanosecondsSinceMidnight: Int64 {
    // The ranges of the components prevent an overflow.
    Int64(hour &* 3600 &+ minute &* 60 &+ second) &* 1_000_000_000 &+ Int64(nanosecond)
  }

  /// Returns the time of day that is later by a count of nanoseconds. If the sum is after midnight, the result is the
  /// time of day on the next day.
  public func advanced(byNanoseconds nanoseconds: Int64) -> TimeOfDay {
    UTCTime(nanosecondsSince1970: nanosecondsSinceMidnight &+ nanoseconds % 86_400_000_000_000).timeOfDay
  }

  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
    (left.hour, left.minute, left.second, left.nanosecond)
      < (right.hour, right.minute, right.second, right.nanosecond)
  }
}

/// A date and time of day in UTC.
public struct UTCTime: Hashable, Comparable, Sendable {
  /// The calendar day in UTC.
  public var date: UTCDate
  /// The hour, minute, second and nanosecond in UTC.
  public var timeOfDay: TimeOfDay

  /// Creates the time in UTC at a time of day on a calendar day.
  public init(date: UTCDate, timeOfDay: TimeOfDay) {
    self.date = date
    self.timeOfDay = timeOfDay
  }

  /// Creates a time from the nanoseconds since 1970-01-01T00:00:00Z in POSIX time, which does not count leap seconds.
  public init(nanosecondsSince1970 nanoseconds: Int64) {
    let day: Int64 = 86_400_000_000_000
    var (days, rest) = nanoseconds.quotientAndRemainder(dividingBy: day)
    if rest < 0 { (days, rest) = (days - 1, rest + day) }
    let seconds = Int(rest / 1_000_000_000)
    // 64 bits of nanoseconds cover the years 1677 to 2262, which `UTCDate` supports.
    self.date = UTCDate(daysSince1970: Int(days))!
    self.timeOfDay = TimeOfDay(
      hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60, nanosecond: Int(rest % 1_000_000_000))!
  }

  /// The nanoseconds since 1970-01-01T00:00:00Z in POSIX time, limited to the range of 64 bits (the years 1677 to
  /// 2262). A leap second has the same value as the second after it.
  public var nanosecondsSince1970: Int64 {
    let day: Int64 = 86_400_000_000_000
    let (whole, overflow) = Int64(date.daysSince1970).multipliedReportingOverflow(by: day)
    let (sum, overflowed) = whole.addingReportingOverflow(timeOfDay.nanosecondsSinceMidnight)
    return overflow || overflowed ? (date.year < 1970 ? .min : .max) : sum
  }

  /// The time 2026-01-01T00:00:00Z. An earlier time of the wall clock is always wrong, because the first gateways were
  /// built later.
  public static let firstGateways = UTCTime(nanosecondsSince1970: 1_767_225_600_000_000_000)

  /// A copy of the time, truncated to whole milliseconds, which is the resolution of `iso8601`.
  public var cutToMilliseconds: UTCTime {
    let nanosecond = timeOfDay.nanosecond - timeOfDay.nanosecond % 1_000_000
    return UTCTime(
      date: date,
      timeOfDay: TimeOfDay(
        hour: timeOfDay.hour, minute: timeOfDay.minute, second: timeOfDay.second, nanosecond: nanosecond)!)
  }

  /// The time in ISO 8601, truncated to milliseconds: `2026-11-21T07:31:34.200Z`.
  public var iso8601: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    appendISO8601(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the time in ISO 8601 to ASCII bytes, like `iso8601`, but without allocating a string.
  public func appendISO8601(to bytes: inout [UInt8]) {
    func append(_ value: Int, _ width: Int, then separator: Unicode.Scalar) {
      var unit = width == 4 ? 1000 : width == 3 ? 100 : 10
      while unit > 0 {
        bytes.append(UInt8(truncatingIfNeeded: 0x30 &+ value / unit % 10))
        unit /= 10
      }
      bytes.append(UInt8(ascii: separator))
    }
    append(date.year, 4, then: "-")
    append(date.month, 2, then: "-")
    append(date.day, 2, then: "T")
    append(timeOfDay.hour, 2, then: ":")
    append(timeOfDay.minute, 2, then: ":")
    append(timeOfDay.second, 2, then: ".")
    append(timeOfDay.nanosecond / 1_000_000, 3, then: "Z")
  }

  public static func < (left: UTCTime, right: UTCTime) -> Bool {
    (left.date, left.timeOfDay) < (right.date, right.timeOfDay)
  }
}
