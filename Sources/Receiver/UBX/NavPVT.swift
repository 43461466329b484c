public import Clocks
public import GNSS

/// NAV-PVT: position, velocity and time of one navigation epoch, with the receiver's own estimates of its errors.
///
/// (u-blox M8 R27 §32.17.15, ZED-F9P HPG 1.32 §3.15.13, M10 SPG 5.10 §3.14.12; 92 bytes, 84 from u-blox 7)
public struct NavPVT: Hashable, Sendable {
  /// What the solution is of. (fixType)
  public enum FixType: UInt8, Hashable, Sendable {
    /// There is none.
    case none = 0
    /// Estimated, not measured.
    case deadReckoning = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// With an altitude.
    case threeDimensional = 3
    /// Satellites and dead reckoning combined.
    case combined = 4
    /// The time alone.
    case timeOnly = 5
  }

  /// Whether the phase of the carrier is used, and its ambiguities are known.
  public enum CarrierSolution: UInt8, Hashable, Sendable {
    /// It does not use carrier phases.
    case none = 0
    /// Their ambiguities are not yet integers.
    case float = 1
    /// Their ambiguities are integers.
    case fixed = 2
  }

  /// GPS time of week of the epoch, milliseconds. All messages of one epoch have the same.
  public var timeOfWeek: UInt32
  /// Day in UTC; nil unless the receiver says that it is valid, and it exists.
  public var date: UTCDate?
  /// Time in UTC, to the nanosecond; nil unless the receiver says that it is valid. 23:59:60 in a leap second.
  public var timeOfDay: TimeOfDay?
  /// Whether the second is beyond doubt: leap seconds are known.
  public var isTimeResolved: Bool
  /// Nanoseconds; nil where unknown.
  public var timeAccuracy: UInt32?
  /// What the solution is of.
  public var fixType: FixType
  /// Whether the fix is within the receiver's limits for position dilution and accuracy.
  public var isFixOK: Bool
  /// Whether corrections were applied. (flags, diffSoln)
  public var isDifferential: Bool
  /// What it makes of carrier phases. (flags, carrSoln)
  public var carrierSolution: CarrierSolution
  /// Satellites in the solution. (numSV)
  public var satellitesUsed: Int
  /// Nil where the receiver flags it as invalid (`invalidLlh`), or it is none. It need not be that of a fix: see
  /// `isFixOK` and `fixType`.
  public var coordinate: Coordinate?
  /// Metres above the WGS 84 ellipsoid; nil with `coordinate`.
  public var height: Double?
  /// Metres above mean sea level; nil with `coordinate`.
  public var altitude: Double?
  /// Metres, as `Epoch.horizontalAccuracy`.
  public var horizontalAccuracy: Double?
  /// Metres, one standard deviation.
  public var verticalAccuracy: Double?
  /// Metres per second.
  public var velocityNorth: Double
  /// Metres per second.
  public var velocityEast: Double
  /// Metres per second.
  public var velocityDown: Double
  /// Over ground, metres per second.
  public var speed: Double
  /// Of the motion, degrees from true north, 0..<360.
  public var course: Double
  /// Metres per second, one standard deviation.
  public var speedAccuracy: Double?
  /// Degrees, one standard deviation; 180 where the course is unknown.
  public var courseAccuracy: Double?
  /// Nil where unknown (99.99).
  public var positionDilution: Double?

  /// - Throws: `UBXError` where the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 84 else { throw .payloadLength(.navPVT, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    let valid = payload[11]
    let clock = NavPVT.clock(payload)
    timeOfDay = valid & 0x02 != 0 ? clock?.timeOfDay : nil
    // A fraction below zero at midnight makes it the day before, if the time of day is known.
    date = valid & 0x01 != 0 ? (timeOfDay == nil ? NavPVT.day(payload) : clock?.date) : nil
    isTimeResolved = valid & 0x04 != 0
    timeAccuracy = NavPVT.known(payload.u4(at: 12))
    fixType = FixType(rawValue: payload[20]) ?? .none
    let flags = payload[21]
    isFixOK = flags & 0x01 != 0
    isDifferential = flags & 0x02 != 0
    carrierSolution = CarrierSolution(rawValue: flags >> 6) ?? .none
    satellitesUsed = Int(payload[23])
    // u-blox 7 has no flags3, and zeros there.
    if payload[78] & 0x01 == 0 {
      coordinate = Coordinate(
        latitude: Double(payload.i4(at: 28)) / 1e7, longitude: Double(payload.i4(at: 24)) / 1e7)
    }
    height = coordinate == nil ? nil : Double(payload.i4(at: 32)) / 1000
    altitude = coordinate == nil ? nil : Double(payload.i4(at: 36)) / 1000
    horizontalAccuracy = NavPVT.known(payload.u4(at: 40)).map { Double($0) / 1000 }
    verticalAccuracy = NavPVT.known(payload.u4(at: 44)).map { Double($0) / 1000 }
    velocityNorth = Double(payload.i4(at: 48)) / 1000
    velocityEast = Double(payload.i4(at: 52)) / 1000
    velocityDown = Double(payload.i4(at: 56)) / 1000
    speed = Double(payload.i4(at: 60)) / 1000
    let turn: Int32 = 36_000_000
    let heading = payload.i4(at: 64) % turn
    course = Double(heading < 0 ? heading + turn : heading) / 1e5
    speedAccuracy = NavPVT.known(payload.u4(at: 68)).map { Double($0) / 1000 }
    courseAccuracy = NavPVT.known(payload.u4(at: 72)).map { Double($0) / 1e5 }
    positionDilution = NavDOP.dilution(payload.u2(at: 76))
  }

  /// Estimates that the receiver has none of are written as 0 or as the largest number there is.
  private static func known(_ value: UInt32) -> UInt32? {
    value == 0 || value == .max ? nil : value
  }

  private static func day(_ payload: Span<UInt8>) -> UTCDate? {
    UTCDate(year: Int(payload.u2(at: 4)), month: Int(payload[6]), day: Int(payload[7]))
  }

  /// The fraction is -1 s ... 1 s, since the other fields are rounded to the hundredth of a second. What lies before a
  /// midnight is 23:59:59 and more: the message does not tell whether a leap second came before it.
  private static func clock(_ payload: Span<UInt8>) -> (date: UTCDate?, timeOfDay: TimeOfDay)? {
    let date = day(payload)
    let (hour, minute, second) = (Int(payload[8]), Int(payload[9]), Int(payload[10]))
    let fraction = Int(payload.i4(at: 16))
    guard (-1_000_000_000...1_000_000_000).contains(fraction),
      TimeOfDay(hour: hour, minute: minute, second: second) != nil
    else { return nil }
    if (0..<1_000_000_000).contains(fraction) {
      return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: fraction).map { (date, $0) }
    }
    let billion = 1_000_000_000
    if second == 60 {
      // Into the leap second's end or to before it.
      let time =
        fraction < 0
        ? TimeOfDay(hour: hour, minute: minute, second: 59, nanosecond: billion + fraction)
        : TimeOfDay(hour: hour, minute: minute, second: 60, nanosecond: billion - 1)
      return time.map { (date, $0) }
    }
    let total = hour * 3600 + minute * 60 + second + (fraction < 0 ? -1 : 1)
    let days = total < 0 ? -1 : total / 86_400
    let inDay = total - days * 86_400
    let nanosecond = fraction < 0 ? billion + fraction : 0
    let time = TimeOfDay(
      hour: inDay / 3600, minute: inDay / 60 % 60, second: inDay % 60,
      nanosecond: nanosecond == billion ? 0 : nanosecond)
    return time.map { (date.flatMap { UTCDate(daysSince1970: $0.daysSince1970 + days) }, $0) }
  }
}
