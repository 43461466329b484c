public import Base

/// Date, time and local zone. (NMEA 0183 v4.11 ZDA)
public struct ZDA: Hashable, Sendable {
  /// The time of day in UTC. (field 1)
  public var time: TimeOfDay?
  /// The date from the receiver. An error of 1024 weeks is not corrected. (fields 2 to 4)
  public var date: UTCDate?
  /// The hours that must be added to local time to get UTC, -13...13. (field 5)
  public var zoneHours: Int?
  /// The minutes to add to local time to get UTC, with the sign of the hours. (field 6)
  public var zoneMinutes: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    time = try fields.time(in: bytes)
    date = fields.dayMonthYear(in: bytes)
    zoneHours = fields.zone(-24...24, in: bytes)
    zoneMinutes = fields.zone(-59...59, in: bytes)
    fields.noteRest(in: bytes)
  }
}

extension Fields {
  /// Reads the hours or the minutes of the local zone. Returns nil if the field is empty or the value is out of range.
  fileprivate mutating func zone(_ range: ClosedRange<Int>, in bytes: Span<UInt8>) -> Int? {
    let value = whole(in: bytes)
    return range.contains(value) ? value : nil
  }
}
