public import Base
public import GNSS

/// Fix data. (NMEA 0183 v4.11 GGA; senders omit fields after the quality)
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
  /// Whether the receiver writes that it does not know the dilution.
  var deniesDilution: Bool
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
    let failure = fields.readCoordinate(&coordinate, in: bytes)
    quality = try fields.quality(in: bytes)
    guard !fields.isOverrun else { throw fields.invalid(in: bytes) }
    if let failure, quality != .invalid { throw failure }
    satellitesUsed = fields.integer(in: bytes)
    horizontalDilution = fields.dilution(in: bytes)
    deniesDilution = fields.deniesDilution
    altitude = fields.value(fields.decimal(in: bytes), unit: 0x4D, in: bytes)
    geoidSeparation = fields.value(fields.decimal(in: bytes), unit: 0x4D, in: bytes)
    correctionAge = fields.magnitude(in: bytes)
    station = fields.integer(in: bytes)
    fields.noteRest(in: bytes)
  }
}

extension GGA {
  /// The valid position; nil without one.
  @inline(__always)
  var fix: Coordinate? { quality != nil && quality != .invalid ? coordinate : nil }
}

extension Fields {
  /// Reads the quality of a fix. Returns nil for an empty field.
  @inline(__always)
  fileprivate mutating func quality(in bytes: Span<UInt8>) throws(NMEAError) -> FixQuality? {
    let (value, _) = small(in: bytes)
    if value == -1 { return nil }
    // NovAtel writes 9 for corrections from augmentation satellites. (OEM7 Commands and Logs Reference Manual, GPGGA)
    if value == 9 { return .differential }
    guard let quality = FixQuality(rawValue: value) else { throw invalid(in: bytes) }
    return quality
  }
}
