public import Clocks
public import GNSS

/// Recommended minimum: position, velocity and day. (NMEA 0183 v4.11 RMC; 11, 12 or 13 fields by version)
public struct RMC: Hashable, Sendable {
  public var time: TimeOfDay?
  /// Status `A`.
  public var isValid: Bool
  public var coordinate: Coordinate?
  /// Speed over ground, knots.
  public var speedKnots: Double?
  /// Course over ground, degrees true, 0..<360.
  public var course: Double?
  /// As written: neither moved by 1024 weeks nor judged.
  public var date: UTCDate?
  /// Degrees, east positive.
  public var magneticVariation: Double?
  public var mode: ModeIndicator?
  public var navigationStatus: NavigationStatus?

  @inline(__always)
  init(_ fields: inout Fields) throws(NMEAError) {
    try fields.require(11...13)
    time = try fields.time()
    isValid = try fields.status()
    coordinate = try fields.coordinate()
    speedKnots = try fields.magnitude()
    course = try fields.course()
    date = try fields.date()
    let variation = try fields.magnitude()
    let side = try fields.letter()
    switch side {
    case 0x45: magneticVariation = variation
    case 0x57: magneticVariation = variation.map { 0 - $0 }
    case 0: break
    default:
      // `0,A`: the letter of the variation is left out.
      guard fields.count == 11, let mode = ModeIndicator(rawValue: side) else { throw fields.invalid }
      self.mode = mode
    }
    if fields.count >= 12 { mode = try fields.mode() }
    if fields.count >= 13 { navigationStatus = try fields.navigationStatus() }
  }

  /// Whether it claims a position.
  public var hasFix: Bool { isValid && coordinate != nil && mode?.deniesFix != true }

  /// Metres per second.
  public var speed: Double? { speedKnots.map { $0 * (1852.0 / 3600.0) } }
}
