public import Clocks

/// Day, time and local zone. (NMEA 0183 v4.11 ZDA)
public struct ZDA: Hashable, Sendable {
  /// UTC. (field 1)
  public var time: TimeOfDay?
  /// As written: neither moved by 1024 weeks nor judged.
  public var date: UTCDate?
  /// Hours from local time to UTC, -13...13.
  public var zoneHours: Int?
  /// Minutes, with the sign of the hours.
  public var zoneMinutes: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.require(4...6)
    time = try fields.time(in: bytes)
    date = try fields.dayMonthYear(in: bytes)
    if fields.count >= 5 { zoneHours = try fields.zone(-24...24, in: bytes) }
    if fields.count >= 6 { zoneMinutes = try fields.zone(-59...59, in: bytes) }
  }
}

extension Fields {
  /// A part of a local zone; nil where empty or beyond sense.
  fileprivate mutating func zone(_ range: ClosedRange<Int>, in bytes: Span<UInt8>) throws(NMEAError) -> Int? {
    let value = try whole(in: bytes)
    return range.contains(value) ? value : nil
  }
}
