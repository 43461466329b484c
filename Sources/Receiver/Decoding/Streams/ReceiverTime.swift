package import Base

/// The date and time that a receiver reported together with a valid fix.
package struct ReceiverTime: Hashable, Sendable {
  /// The date and time of the measurement in UTC.
  package var utc: UTCTime
  /// The arrival time of the first byte of the data with this time, or the end of the read if one read returned several
  /// bytes.
  package var began: MonotonicInstant
  /// The leap second at the end of the present UTC day; nil if the receiver has announced none.
  package var leapSecond: LeapSecond?

  package init(utc: UTCTime, began: MonotonicInstant, leapSecond: LeapSecond? = nil) {
    self.utc = utc
    self.began = began
    self.leapSecond = leapSecond
  }
}

/// A leap second: the change of a UTC day's length by one second.
package enum LeapSecond: Hashable, Sendable {
  /// The day is one second longer.
  case inserted
  /// The day is one second shorter.
  case deleted
}
