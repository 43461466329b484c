package import Base

/// Constants of slots. A slot is a period of at least 15 minutes in which the answer to an app stays the same: an
/// approximate position, or the name of a place.
package enum Slot {
  /// The duration of a slot, a quarter hour, in nanoseconds.
  package static let length: Int64 = 900_000_000_000
  /// The maximum delay with which a slot may start after the end of the previous slot to count as on time.
  package static let boundaryTolerance: Duration = .seconds(5)
}

extension UTCTime {
  /// The beginning of the quarter hour of UTC that contains the time.
  package var startOfQuarterHour: UTCTime {
    UTCTime(date: date, timeOfDay: TimeOfDay(hour: timeOfDay.hour, minute: timeOfDay.minute / 15 * 15, second: 0)!)
  }
}
