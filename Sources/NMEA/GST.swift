public import Clocks
public import GNSS

/// What the receiver says of its errors. (NMEA 0183 v4.11 GST)
public struct GST: Hashable, Sendable {
  public var time: TimeOfDay?
  public var errors = ErrorStatistics()

  init(_ fields: inout Fields) throws(NMEAError) {
    try fields.require(8...8)
    time = try fields.time()
    errors.rangeRMS = try fields.magnitude()
    errors.semiMajorAxis = try fields.magnitude()
    errors.semiMinorAxis = try fields.magnitude()
    errors.orientation = try fields.decimal()
    errors.latitude = try fields.magnitude()
    errors.longitude = try fields.magnitude()
    errors.altitude = try fields.magnitude()
  }
}
