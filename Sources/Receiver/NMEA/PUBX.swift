public import Clocks
public import GNSS

/// u-blox position. (u-blox interface descriptions, `PUBX,00`)
public struct PUBXPosition: Hashable, Sendable {
  /// What `PUBX,00` calls navStat.
  public enum Status: Hashable, Sendable {
    /// `NF`, `DR`, `G2`, `G3`, `D2`, `D3`, `RK` (satellites and dead reckoning) and `TT` (time alone).
    case noFix, deadReckoning, standalone2D, standalone3D, differential2D, differential3D, combined, timeOnly
  }

  /// When the position was measured. (field 2)
  public var time: TimeOfDay?
  /// Nil where the fields are empty. (fields 3 to 6)
  public var coordinate: Coordinate?
  /// Metres above the ellipsoid, not above mean sea level.
  public var ellipsoidalHeight: Double?
  /// How it was made. (field 8)
  public var status: Status?
  /// Estimates, metres.
  public var horizontalAccuracy: Double?
  /// As the receiver estimates it, metres. (field 10)
  public var verticalAccuracy: Double?
  /// Over ground. (field 11)
  public var speedKilometresPerHour: Double?
  /// Degrees true, 0..<360.
  public var course: Double?
  /// Metres per second, positive downwards.
  public var verticalVelocity: Double?
  /// Seconds.
  public var correctionAge: Double?
  /// Of the solution: horizontal and vertical. (fields 15 and 16)
  public var dilutionOfPrecision = DilutionOfPrecision()
  /// Of the time, dimensionless. (field 17)
  public var timeDilution: Double?
  /// Satellites in the solution. (field 18)
  public var satellitesUsed: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.require(20...20)
    fields.skip(in: bytes)
    time = try fields.time(in: bytes)
    coordinate = try fields.coordinate(in: bytes)
    ellipsoidalHeight = try fields.decimal(in: bytes)
    status = try fields.positionStatus(in: bytes)
    horizontalAccuracy = try fields.magnitude(in: bytes)
    verticalAccuracy = try fields.magnitude(in: bytes)
    speedKilometresPerHour = try fields.magnitude(in: bytes)
    course = try fields.course(in: bytes)
    verticalVelocity = try fields.decimal(in: bytes)
    correctionAge = try fields.magnitude(in: bytes)
    dilutionOfPrecision.horizontal = try fields.dilution(in: bytes)
    dilutionOfPrecision.vertical = try fields.dilution(in: bytes)
    timeDilution = try fields.dilution(in: bytes)
    satellitesUsed = try fields.integer(in: bytes)
  }

  /// Whether it claims a position.
  public var hasFix: Bool {
    guard let status else { return false }
    return coordinate != nil && status != .noFix && status != .timeOnly
  }

  /// Nil where the receiver does not tell.
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

/// u-blox time and clock. (u-blox interface descriptions, `PUBX,04`)
public struct PUBXTime: Hashable, Sendable {
  /// UTC. (field 2)
  public var time: TimeOfDay?
  /// UTC. (field 3)
  public var date: UTCDate?
  /// Seconds of the GPS week.
  public var timeOfWeek: Double?
  /// The number of the week, counted from 1980-01-06. (field 5)
  public var week: Int?
  /// Leap seconds, where the receiver knows them and not only its default (marked with `D`).
  public var leapSeconds: Int?
  /// Nanoseconds.
  public var clockBias: Double?
  /// Nanoseconds per second.
  public var clockDrift: Double?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.require(9...10)
    fields.skip(in: bytes)
    time = try fields.time(in: bytes)
    date = try fields.date(in: bytes)
    timeOfWeek = try fields.magnitude(in: bytes)
    week = try fields.integer(in: bytes)
    let leap = fields.next(in: bytes)
    if (1...3).contains(leap.length) { leapSeconds = Digits.number(leap.word, count: leap.length).map(Int.init) }
    clockBias = try fields.decimal(in: bytes)
    clockDrift = try fields.decimal(in: bytes)
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
