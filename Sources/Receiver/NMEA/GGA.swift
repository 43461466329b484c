public import Clocks
public import GNSS

/// Fix data. (NMEA 0183 v4.11 GGA)
public struct GGA: Hashable, Sendable {
  /// The time of the measurement. (field 1)
  public var time: TimeOfDay?
  /// The position. A receiver without a fix may send its last position here (see `quality`). (fields 2 to 5)
  public var coordinate: Coordinate?
  /// The method of the fix; nil if the field is empty. (field 6)
  public var quality: FixQuality?
  /// The number of satellites used, 0...99. (field 7)
  public var satellitesUsed: Int?
  /// The horizontal dilution of precision, dimensionless; nil if unknown. (field 8)
  public var horizontalDilution: Double?
  /// The altitude in metres above mean sea level. (field 9)
  public var altitude: Double?
  /// The height of the geoid above the ellipsoid in metres. (field 11)
  public var geoidSeparation: Double?
  /// The age of the differential corrections in seconds. (field 13)
  public var correctionAge: Double?
  /// The number of the reference station. The standard allows 0...1023, and receivers write up to 4095. (field 14)
  public var station: Int?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    time = try fields.time(in: bytes)
    coordinate = try fields.coordinate(in: bytes)
    if let value = try fields.integer(in: bytes) {
      guard let quality = FixQuality(rawValue: value) else { throw fields.invalid(in: bytes) }
      self.quality = quality
    }
    satellitesUsed = try fields.integer(in: bytes)
    horizontalDilution = try fields.dilution(in: bytes)
    altitude = try fields.decimal(in: bytes)
    try fields.unit(0x4D, in: bytes)
    geoidSeparation = try fields.decimal(in: bytes)
    try fields.unit(0x4D, in: bytes)
    correctionAge = try fields.magnitude(in: bytes)
    station = try fields.integer(in: bytes)
    guard fields.isAtEnd else { throw fields.invalid(in: bytes) }
  }
}
