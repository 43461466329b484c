public import Base
public import GNSS

/// The receiver's estimates of its errors. (NMEA 0183 v4.11 GST)
public struct GST: Hashable, Sendable {
  /// The time of the fix. (field 1)
  public var time: TimeOfDay?
  /// The errors in metres. Each error is one standard deviation. (fields 2 to 8)
  public var errors = ErrorStatistics()

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    time = try fields.time(in: bytes)
    errors.rangeRMS = fields.magnitude(in: bytes)
    errors.semiMajorAxis = fields.magnitude(in: bytes)
    errors.semiMinorAxis = fields.magnitude(in: bytes)
    errors.orientation = fields.decimal(in: bytes)
    errors.latitude = fields.magnitude(in: bytes)
    errors.longitude = fields.magnitude(in: bytes)
    errors.altitude = fields.magnitude(in: bytes)
    fields.noteRest(in: bytes)
  }
}
