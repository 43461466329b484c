public import Clocks
public import GNSS

/// Recommended minimum: position, velocity and day. (NMEA 0183 v4.11 RMC; 11, 12 or 13 fields by version)
public struct RMC: Hashable, Sendable {
  /// When the position was measured. (field 1)
  public var time: TimeOfDay?
  /// Status `A`.
  public var isValid: Bool
  /// Nil where the fields are empty. (fields 3 to 6)
  public var coordinate: Coordinate?
  /// Speed over ground, knots.
  public var speedKnots: Double?
  /// Course over ground, degrees true, 0..<360.
  public var course: Double?
  /// As written: neither moved by 1024 weeks nor judged.
  public var date: UTCDate?
  /// Degrees, east positive.
  public var magneticVariation: Double?
  /// How it was made. (field 12, v2.3+)
  public var mode: ModeIndicator?
  /// Whether it is safe to navigate by. (field 13, v4.10+)
  public var navigationStatus: NavigationStatus?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>, _ repeated: inout RepeatedFields) throws(NMEAError) {
    time = try fields.time(in: bytes, &repeated)
    isValid = try fields.status(in: bytes)
    coordinate = try fields.coordinate(in: bytes, &repeated)
    speedKnots = try fields.magnitude(in: bytes)
    course = try fields.course(in: bytes)
    date = try fields.date(in: bytes)
    let variation = try fields.magnitude(in: bytes)
    let side = try fields.letter(in: bytes)
    switch side {
    case 0x45: magneticVariation = variation
    case 0x57: magneticVariation = variation.map { 0 - $0 }
    case 0: break
    default:
      // `0,A`: the letter of the variation is left out.
      guard !fields.hasMore, let mode = ModeIndicator(rawValue: side) else { throw fields.invalid(in: bytes) }
      self.mode = mode
    }
    if fields.hasMore { mode = try fields.mode(in: bytes) }
    if fields.hasMore { navigationStatus = try fields.navigationStatus(in: bytes) }
    guard fields.isAtEnd else { throw fields.invalid(in: bytes) }
  }

  /// Whether it claims a position.
  public var hasFix: Bool { isValid && coordinate != nil && mode?.deniesFix != true }

  /// Metres per second.
  public var speed: Double? { speedKnots.map { $0 * (1852.0 / 3600.0) } }
}
