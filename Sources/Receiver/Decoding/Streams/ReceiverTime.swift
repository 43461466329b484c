package import Base

/// The time that a receiver reported in an epoch with a valid fix.
package struct ReceiverTime: Hashable, Sendable {
  /// The time of the measurement.
  package var utc: UTCTime
  /// The arrival time of the epoch's first byte. If a read returned several bytes, this is the time after the read. The
  /// read is late after a pause of this process or of the machine.
  package var began: MonotonicInstant
  /// The leap second at the end of the UTC day; nil if the receiver announces none.
  package var leapSecond: LeapSecond?

  package init(utc: UTCTime, began: MonotonicInstant, leapSecond: LeapSecond? = nil) {
    self.utc = utc
    self.began = began
    self.leapSecond = leapSecond
  }
}

/// A change of the number of seconds of a UTC day.
package enum LeapSecond: Hashable, Sendable {
  /// The day has one second more.
  case inserted
  /// The day has one second less.
  case deleted
}
