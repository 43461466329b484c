public import Clocks
public import GNSS

/// Fix data of several systems. (NMEA 0183 v4.11 GNS; 12 or 13 fields by version)
public struct GNS: Hashable, Sendable {
  /// When the position was measured. (field 1)
  public var time: TimeOfDay?
  /// Nil where the fields are empty. (fields 2 to 5)
  public var coordinate: Coordinate?
  /// The mode letters as ASCII, the first in the lowest byte.
  private var modes: UInt64
  /// Satellites of all systems in the solution. (field 7)
  public var satellitesUsed: Int?
  /// Dimensionless; nil where unknown. (field 8)
  public var horizontalDilution: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Geoid above ellipsoid, metres.
  public var geoidSeparation: Double?
  /// Seconds.
  public var correctionAge: Double?
  /// The reference station of the corrections, 0...4095. (field 12)
  public var station: Int?
  /// Whether it is safe to navigate by. (field 13, v4.10+)
  public var navigationStatus: NavigationStatus?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.require(12...13)
    time = try fields.time(in: bytes)
    coordinate = try fields.coordinate(in: bytes)
    let modes = fields.next(in: bytes)
    // One letter for each system: 1 to 6, and room for two to come.
    guard modes.length <= 8 else { throw fields.invalid(in: bytes) }
    self.modes = modes.word
    var rest = modes.word
    while rest != 0 {
      guard ModeIndicator(rawValue: UInt8(truncatingIfNeeded: rest)) != nil else { throw fields.invalid(in: bytes) }
      rest >>= 8
    }
    satellitesUsed = try fields.integer(in: bytes)
    horizontalDilution = try fields.dilution(in: bytes)
    altitude = try fields.decimal(in: bytes)
    geoidSeparation = try fields.decimal(in: bytes)
    correctionAge = try fields.magnitude(in: bytes)
    station = try fields.integer(in: bytes)
    if fields.count >= 13 { navigationStatus = try fields.navigationStatus(in: bytes) }
  }

  /// One mode for each system: GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC, as far as the receiver has them.
  public var modeIndicators: [ModeIndicator] {
    (0..<8).compactMap { ModeIndicator(rawValue: UInt8(truncatingIfNeeded: modes >> UInt64($0 * 8))) }
  }

  /// The best that any system contributes; nil where none says.
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

  /// Whether it claims a position.
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
