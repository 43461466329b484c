public import Base
public import GNSS

/// Recommended minimum data: position, velocity and date. (NMEA 0183 v4.11 RMC; 11 to 13 fields, of which
/// senders omit those after the position)
public struct RMC: Hashable, Sendable {
  /// The time of the measurement. (field 1)
  public var time: TimeOfDay?
  /// Whether the status is `A` (valid), or `D` (valid, with corrections). (field 2)
  public var isValid: Bool
  /// The position; nil if the fields are empty. (fields 3 to 6)
  public var coordinate: Coordinate?
  /// The speed over ground in knots. (field 7)
  public var speedKnots: Double?
  /// The course over ground in degrees from true north, 0..<360. (field 8)
  public var course: Double?
  /// The date from the receiver. An error of 1024 weeks is not corrected. (field 9)
  public var date: UTCDate?
  /// The magnetic variation in degrees, east positive. (fields 10 and 11)
  public var magneticVariation: Double?
  /// The method of the fix. (field 12, v2.3+)
  public var mode: ModeIndicator?
  /// Whether the position is safe for navigation. (field 13, v4.10+)
  public var navigationStatus: NavigationStatus?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    time = try fields.time(in: bytes)
    isValid = try fields.status(in: bytes)
    let failure = fields.readCoordinate(&coordinate, in: bytes)
    guard !fields.isOverrun else { throw fields.invalid(in: bytes) }
    if let failure, isValid { throw failure }
    speedKnots = fields.magnitude(in: bytes)
    course = fields.course(in: bytes)
    date = fields.date(in: bytes)
    let variation = fields.magnitude(in: bytes)
    let side = fields.next(in: bytes)
    switch side.word {
    case 0x45: magneticVariation = variation
    case 0x57: magneticVariation = variation.map { 0 - $0 }
    case 0: break
    case let letter:
      // Some receivers omit the letter of the variation and write `0,A`. In this case, the letter `A` is the mode.
      let found = fields.hasMore || side.length > 1 ? nil : ModeIndicator(rawValue: UInt8(truncatingIfNeeded: letter))
      mode = found ?? fields.note(in: bytes)
    }
    if fields.hasMore { mode = fields.mode(in: bytes) }
    if fields.hasMore { navigationStatus = fields.navigationStatus(in: bytes) }
    fields.noteRest(in: bytes)
  }

  /// Whether the sentence reports a valid position.
  public var hasFix: Bool { isValid && coordinate != nil && mode?.deniesFix != true }

  /// The speed over ground in metres per second.
  public var speed: Double? { speedKnots.map { $0 * (1852.0 / 3600.0) } }
}
