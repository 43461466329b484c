package import Base

/// Constants of slots. A slot is a period of at least 15 minutes in which the answer to an app stays the same. The
/// answer is an approximate position, or the name of a place.
package enum Slot {
  /// The normal duration of a slot (a period with one answer to an app), a quarter hour, in nanoseconds.
  package static let length: Int64 = 900_000_000_000
  /// The maximum delay of the beginning of a slot (a period with one answer to an app) after the end of the previous
  /// slot. A later slot does not count as on time.
  package static let boundaryTolerance: Duration = .seconds(5)
}

extension UTCTime {
  package var startOfQuarterHour: UTCTime {
    UTCTime(date: date, timeOfDay: TimeOfDay(hour: timeOfDay.hour, minute: timeOfDay.minute / 15 * 15, second: 0)!)
  }
}
