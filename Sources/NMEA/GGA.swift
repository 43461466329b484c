public import Clocks
public import GNSS

/// Fix data. (NMEA 0183 v4.11 GGA)
public struct GGA: Hashable, Sendable {
  public var time: TimeOfDay?
  /// As written: a receiver without a fix may repeat its last position. `quality` tells.
  public var coordinate: Coordinate?
  public var quality: FixQuality?
  /// Satellites used, 0...99.
  public var satellitesUsed: Int?
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
  init(_ fields: inout Fields) throws(NMEAError) {
    try fields.require(14...14)
    time = try fields.time()
    coordinate = try fields.coordinate()
    if let value = try fields.integer() {
      guard let quality = FixQuality(rawValue: value) else { throw fields.invalid }
      self.quality = quality
    }
    satellitesUsed = try fields.integer()
    horizontalDilution = try fields.dilution()
    altitude = try fields.decimal()
    try fields.unit(0x4D)
    geoidSeparation = try fields.decimal()
    try fields.unit(0x4D)
    correctionAge = try fields.magnitude()
    station = try fields.integer()
  }
}
