public import Base
public import GNSS

/// The position sentence of u-blox receivers. (u-blox interface descriptions, `PUBX,00`)
public struct PUBXPosition: Hashable, Sendable {
  /// The navigation status, the field `navStat`.
  public enum Status: Hashable, Sendable {
    /// The codes `NF`, `DR`, `G2`, `G3`, `D2`, `D3`, `RK` (satellites and dead reckoning) and `TT` (time alone).
    case noFix, deadReckoning, standalone2D, standalone3D, differential2D, differential3D, combined, timeOnly
  }

  /// The time of the measurement. (field 2)
  public var time: TimeOfDay?
  /// The position; nil if the fields are empty. (fields 3 to 6)
  public var coordinate: Coordinate?
  /// The height in metres above the ellipsoid, not above mean sea level. (field 7)
  public var ellipsoidalHeight: Double?
  /// The method of the fix. (field 8)
  public var status: Status?
  /// The receiver's estimate of the horizontal error in metres. (field 9)
  public var horizontalAccuracy: Double?
  /// The receiver's estimate of the vertical error in metres. (field 10)
  public var verticalAccuracy: Double?
  /// The speed over ground in km/h. (field 11)
  public var speedKilometresPerHour: Double?
  /// The course over ground in degrees from true north, 0..<360. (field 12)
  public var course: Double?
  /// The vertical velocity in metres per second, positive downwards. (field 13)
  public var verticalVelocity: Double?
  /// The age of the differential corrections in seconds. (field 14)
  public var correctionAge: Double?
  /// The horizontal and vertical dilutions of the solution. (fields 15 and 16)
  public var dilutionOfPrecision = DilutionOfPrecision()
  /// The dilution of the time, dimensionless. (field 17)
  public var timeDilution: Double?
  /// The number of satellites in the solution. (field 18)
  public var satellitesUsed: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    fields.skip(in: bytes)
    time = try fields.time(in: bytes)
    coordinate = try fields.coordinate(in: bytes)
    ellipsoidalHeight = fields.decimal(in: bytes)
    status = try fields.positionStatus(in: bytes)
    horizontalAccuracy = fields.magnitude(in: bytes)
    verticalAccuracy = fields.magnitude(in: bytes)
    speedKilometresPerHour = fields.magnitude(in: bytes)
    course = fields.course(in: bytes)
    verticalVelocity = fields.decimal(in: bytes)
    correctionAge = fields.magnitude(in: bytes)
    dilutionOfPrecision.horizontal = fields.dilution(in: bytes)
    dilutionOfPrecision.vertical = fields.dilution(in: bytes)
    timeDilution = fields.dilution(in: bytes)
    satellitesUsed = fields.integer(in: bytes)
  }

  /// Whether the sentence reports a valid position.
  public var hasFix: Bool {
    guard let status else { return false }
    return coordinate != nil && status != .noFix && status != .timeOnly
  }

  /// The quality of the fix; nil if the status is missing.
  public var quality: FixQuality? {
    switch status {
    case nil: nil
    case .noFix, .timeOnly: .invalid
    case .deadReckoning, .combined: .estimated
    case .standalone2D, .standalone3D: .autonomous
    case .differential2D, .differential3D: .differential
    }
  }
}

/// The time and clock sentence of u-blox receivers. (u-blox interface descriptions, `PUBX,04`)
public struct PUBXTime: Hashable, Sendable {
  /// The time of day in UTC. (field 2)
  public var time: TimeOfDay?
  /// The date in UTC. (field 3)
  public var date: UTCDate?
  /// The GPS time of week in seconds. (field 4)
  public var timeOfWeek: Double?
  /// The number of the week, counted from 1980-01-06. (field 5)
  public var week: Int?
  /// The leap seconds; nil if the receiver uses its default (marked with `D`). (field 6)
  public var leapSeconds: Int?
  /// The clock bias in nanoseconds. (field 7)
  public var clockBias: Double?
  /// The clock drift in nanoseconds per second. (field 8)
  public var clockDrift: Double?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    fields.skip(in: bytes)
    time = try fields.time(in: bytes)
    date = fields.date(in: bytes)
    timeOfWeek = fields.magnitude(in: bytes)
    week = fields.integer(in: bytes)
    let leap = fields.next(in: bytes)
    if (1...3).contains(leap.length) { leapSeconds = Digits.number(leap.word, count: leap.length).map(Int.init) }
    clockBias = fields.decimal(in: bytes)
    clockDrift = fields.decimal(in: bytes)
  }
}

extension Fields {
  fileprivate mutating func positionStatus(in bytes: Span<UInt8>) throws(NMEAError) -> PUBXPosition.Status? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    guard field.length == 2 else { throw invalid(in: bytes) }
    switch field.word {
    case 0x464E: return .noFix
    case 0x5244: return .deadReckoning
    case 0x3247: return .standalone2D
    case 0x3347: return .standalone3D
    case 0x3244: return .differential2D
    case 0x3344: return .differential3D
    case 0x4B52: return .combined
    case 0x5454: return .timeOnly
    default: throw invalid(in: bytes)
    }
  }
}
