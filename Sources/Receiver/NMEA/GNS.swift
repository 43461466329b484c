public import Base
public import GNSS

/// Fix data of several satellite systems. (NMEA 0183 v4.11 GNS; 12 or 13 fields, depending on the version;
/// senders omit fields after the mode)
public struct GNS: Hashable, Sendable {
  /// The time of the measurement. (field 1)
  public var time: TimeOfDay?
  /// The position; nil if the fields are empty. (fields 2 to 5)
  public var coordinate: Coordinate?
  /// The mode letters as ASCII. The first letter is in the lowest byte. (field 6)
  private var modes: UInt64
  /// The number of satellites of all systems in the solution. (field 7)
  public var satellitesUsed: Int?
  /// The horizontal dilution of precision, dimensionless; nil if unknown. (field 8)
  public var horizontalDilution: Double?
  /// Whether the receiver writes that it does not know the dilution.
  var deniesDilution = false
  /// The altitude in metres above mean sea level. (field 9)
  public var altitude: Double?
  /// The height of the geoid above the ellipsoid in metres. (field 10)
  public var geoidSeparation: Double?
  /// The age of the differential corrections in seconds. (field 11)
  public var correctionAge: Double?
  /// The reference station of the corrections, 0...4095. (field 12)
  public var station: Int?
  /// Whether the position is safe for navigation. (field 13, v4.10+)
  public var navigationStatus: NavigationStatus?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    time = try fields.time(in: bytes)
    coordinate = try fields.coordinate(in: bytes)
    let modes = fields.next(in: bytes)
    // The field contains one letter for each of the six systems. Eight letters leave space for two more systems.
    self.modes = modes.word
    // Another letter says nothing about its system, but without a letter that is known the validity is unknown.
    let isKnown = modes.length <= 8 && modeIndicators.count == modes.length
    guard isKnown || quality != nil else { throw fields.invalid(in: bytes) }
    if !isKnown { let _: Never? = fields.note(in: bytes) }
    satellitesUsed = fields.integer(in: bytes)
    horizontalDilution = fields.dilution(in: bytes)
    deniesDilution = fields.deniesDilution
    altitude = fields.decimal(in: bytes)
    geoidSeparation = fields.decimal(in: bytes)
    correctionAge = fields.magnitude(in: bytes)
    station = fields.integer(in: bytes)
    if fields.hasMore { navigationStatus = fields.navigationStatus(in: bytes) }
    fields.noteRest(in: bytes)
  }

  /// The mode of each system that the receiver supports, in the order GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
  public var modeIndicators: [ModeIndicator] {
    (0..<8).compactMap { ModeIndicator(rawValue: UInt8(truncatingIfNeeded: modes >> UInt64($0 * 8))) }
  }

  /// The best quality of all systems; nil if no mode indicates a quality.
  public var quality: FixQuality? {
    var best: FixQuality?
    var rest = modes
    while rest != 0 {
      if let quality = ModeIndicator(rawValue: UInt8(truncatingIfNeeded: rest))?.quality,
        GNS.rank(quality) > best.map(GNS.rank) ?? -1
      {
        best = quality
      }
      rest >>= 8
    }
    return best
  }

  /// Whether the sentence reports a valid position.
  public var hasFix: Bool { coordinate != nil && quality.map { $0 != .invalid } ?? (modes != 0) }

  private static func rank(_ quality: FixQuality) -> Int {
    switch quality {
    case .invalid: 0
    case .simulator: 1
    case .manual: 2
    case .estimated: 3
    case .autonomous: 4
    case .differential: 5
    case .precise: 6
    case .rtkFloat: 7
    case .rtkFixed: 8
    }
  }
}
