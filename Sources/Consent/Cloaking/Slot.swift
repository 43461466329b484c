package import Base

/// The common properties of the slots of the cloak and the slots of the owner's places. A slot is a time in which the
/// answer to an app stays the same.
package enum Slot {
  /// The length of a slot, a quarter hour, in nanoseconds.
  package static let length: Int64 = 900_000_000_000
  /// The maximum time from the end of a slot to the start of the next slot. If more time passes, the start does not
  /// count as a slot boundary.
  package static let boundaryTolerance: Duration = .seconds(5)
}

extension UTCTime {
  /// The beginning of the quarter hour of UTC that contains the time.
  package var startOfQuarterHour: UTCTime {
    UTCTime(date: date, timeOfDay: TimeOfDay(hour: timeOfDay.hour, minute: timeOfDay.minute / 15 * 15, second: 0)!)
  }
}
