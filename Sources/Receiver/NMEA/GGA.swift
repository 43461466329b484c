public import Clocks
public import GNSS

/// Fix data. (NMEA 0183 v4.11 GGA)
public struct GGA: Hashable, Sendable {
  /// When the position was measured. (field 1)
  public var time: TimeOfDay?
  /// As written: a receiver without a fix may repeat its last position. `quality` tells.
  public var coordinate: Coordinate?
  /// How it was made; nil where the field is empty. (field 6)
  public var quality: FixQuality?
  /// Satellites used, 0...99.
  public var satellitesUsed: Int?
  /// Dimensionless; nil where unknown. (field 8)
  public var horizontalDilution: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Geoid above ellipsoid, metres.
  public var geoidSeparation: Double?
  /// Age of the differential corrections, seconds.
  public var correctionAge: Double?
  /// Reference station, 0...1023 by the standard; receivers write up to 4095.
  public var station: Int?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>, _ repeated: inout RepeatedFields) throws(NMEAError) {
    time = try fields.time(in: bytes, &repeated)
    coordinate = try fields.coordinate(in: bytes, &repeated)
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
