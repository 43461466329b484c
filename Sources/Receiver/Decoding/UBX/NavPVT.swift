public import Base
public import GNSS

/// NAV-PVT: position, velocity and time of one epoch, with estimates of the errors. (u-blox M8 R27 §32.17.15, ZED-F9P
/// HPG 1.32 §3.15.13, M10 SPG 5.10 §3.14.12; 92 bytes, 84 on u-blox 7)
public struct NavPVT: Hashable, Sendable {
  /// The kind of solution. (fixType)
  public enum FixType: UInt8, Hashable, Sendable {
    /// No solution.
    case none = 0
    /// Dead reckoning.
    case deadReckoning = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3
    /// Satellites and dead reckoning combined.
    case combined = 4
    /// The time only.
    case timeOnly = 5
  }

  /// The use of carrier phases in the solution.
  public enum CarrierSolution: UInt8, Hashable, Sendable {
    /// No carrier phases.
    case none = 0
    /// Carrier phases with ambiguities that are not resolved to integers.
    case float = 1
    /// Carrier phases with ambiguities that are resolved to integers.
    case fixed = 2
  }

  /// The GPS time of week in milliseconds, the same in all messages of one epoch.
  public var timeOfWeek: UInt32
  /// The date in UTC; nil if it does not exist or the receiver does not mark it as valid.
  public var date: UTCDate?
  /// The time of day in UTC, to the nanosecond (23:59:60 in a leap second); nil if it is not marked as valid.
  public var timeOfDay: TimeOfDay?
  /// Whether the receiver knows the number of leap seconds, so that the time in UTC is exact.
  public var isTimeResolved: Bool
  /// The kind of solution.
  public var fixType: FixType
  /// Whether the fix is within the receiver's limits for dilution and accuracy.
  public var isFixOK: Bool
  /// Whether corrections were applied. (flags, diffSoln)
  public var isDifferential: Bool
  /// The use of carrier phases. (flags, carrSoln)
  public var carrierSolution: CarrierSolution
  /// The number of satellites in the solution. (numSV)
  public var satellitesUsed: Int
  /// The position; nil if it is out of range or marked as invalid (`invalidLlh`). A receiver without a fix may report a
  /// position (see `isFixOK` and `fixType`).
  public var coordinate: Coordinate?
  /// The height in metres above the WGS 84 ellipsoid; nil without `coordinate`.
  public var height: Double?
  /// The altitude in metres above mean sea level; nil without `coordinate`.
  public var altitude: Double?
  /// The estimated horizontal error in metres, as in `Epoch.horizontalAccuracy`.
  public var horizontalAccuracy: Double?
  /// The estimated vertical error in metres, one standard deviation.
  public var verticalAccuracy: Double?
  /// The speed over ground in metres per second.
  public var speed: Double
  /// The course over ground in degrees from true north, 0..<360.
  public var course: Double
  /// The estimated error of the speed in metres per second, one standard deviation.
  public var speedAccuracy: Double?
  /// The estimated error of the course in degrees, one standard deviation. The receiver sends 180 if it does not know
  /// the course.
  public var courseAccuracy: Double?
  /// The position dilution of precision; nil if the receiver sent 0, which means unknown.
  public var positionDilution: Double?

  /// Creates a solution without a time, a position and a velocity.
  init(timeOfWeek: UInt32, fixType: FixType, isFixOK: Bool, isDifferential: Bool, satellitesUsed: Int) {
    self.timeOfWeek = timeOfWeek
    isTimeResolved = false
    self.fixType = fixType
    self.isFixOK = isFixOK
    self.isDifferential = isDifferential
    carrierSolution = .none
    self.satellitesUsed = satellitesUsed
    (speed, course) = (0, 0)
  }

  /// Parses the payload of a frame. Throws an error if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 84 else { throw .payloadLength(.navPVT, payload.count) }
    let flags = payload[21]
    self.init(
      timeOfWeek: payload.u4(at: 0), fixType: FixType(rawValue: payload[20]) ?? .none, isFixOK: flags & 0x01 != 0,
      isDifferential: flags & 0x02 != 0, satellitesUsed: Int(payload[23]))
    readClock(payload, fraction: payload.i4(at: 16))
    carrierSolution = CarrierSolution(rawValue: flags >> 6) ?? .none
    // u-blox 7 has no field `flags3`, and sends zeros in its place.
    if payload[78] & 0x01 == 0 { readPosition(payload, at: 24) }
    readErrors(payload, at: 40)
    (speed, course) = (Double(payload.i4(at: 60)) / 1000, NavPVT.course(payload.i4(at: 64)))
    readVelocityErrors(payload, at: 68)
    positionDilution = NavDOP.dilution(payload.u2(at: 76))
  }

  /// Parses the payload of HNR-PVT: a position that a receiver with inertial sensors computes between two epochs. It has
  /// no satellites and no dilution. (u-blox M8 R27 §32.16.3; 72 bytes)
  init(highRate payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 72 else { throw .payloadLength(.hnrPVT, payload.count) }
    let flags = payload[17]
    self.init(
      timeOfWeek: payload.u4(at: 0), fixType: FixType(rawValue: payload[16]) ?? .none, isFixOK: flags & 0x01 != 0,
      isDifferential: flags & 0x02 != 0, satellitesUsed: 0)
    readClock(payload, fraction: payload.i4(at: 12))
    readPosition(payload, at: 20)
    (speed, course) = (Double(payload.i4(at: 36)) / 1000, NavPVT.course(payload.i4(at: 44)))
    readErrors(payload, at: 52)
    readVelocityErrors(payload, at: 60)
  }

  private mutating func readClock(_ payload: Span<UInt8>, fraction: Int32) {
    let valid = payload[11]
    let clock = NavPVT.clock(payload, at: 4, fraction: fraction)
    timeOfDay = valid & 0x02 != 0 ? clock?.timeOfDay : nil
    // Directly after midnight, a negative fraction moves the time to the previous day. `clock` returns the date of that
    // day.
    date = valid & 0x01 != 0 ? (timeOfDay == nil ? NavPVT.day(payload, at: 4) : clock?.date) : nil
    isTimeResolved = valid & 0x04 != 0
  }

  /// Reads longitude, latitude, height and altitude.
  private mutating func readPosition(_ payload: Span<UInt8>, at offset: Int) {
    coordinate = Coordinate(
      latitude: Double(payload.i4(at: offset + 4)) / 1e7, longitude: Double(payload.i4(at: offset)) / 1e7)
    guard coordinate != nil else { return }
    height = Double(payload.i4(at: offset + 8)) / 1000
    altitude = Double(payload.i4(at: offset + 12)) / 1000
  }

  private mutating func readErrors(_ payload: Span<UInt8>, at offset: Int) {
    horizontalAccuracy = NavPVT.known(payload.u4(at: offset)).map { Double($0) / 1000 }
    verticalAccuracy = NavPVT.known(payload.u4(at: offset + 4)).map { Double($0) / 1000 }
  }

  private mutating func readVelocityErrors(_ payload: Span<UInt8>, at offset: Int) {
    speedAccuracy = NavPVT.known(payload.u4(at: offset)).map { Double($0) / 1000 }
    courseAccuracy = NavPVT.known(payload.u4(at: offset + 4)).map { Double($0) / 1e5 }
  }

  /// Returns an estimate; nil for 0, which means unknown. The largest number means an error of at least this size.
  static func known(_ value: UInt32) -> UInt32? { value == 0 ? nil : value }

  /// Returns a course in degrees, 0..<360, from a heading in units of 1e-5 degrees.
  static func course(_ heading: Int32) -> Double {
    let turn: Int32 = 36_000_000
    let heading = heading % turn
    return Double(heading < 0 ? heading + turn : heading) / 1e5
  }

  private static func day(_ payload: Span<UInt8>, at offset: Int) -> UTCDate? {
    UTCDate(year: Int(payload.u2(at: offset)), month: Int(payload[offset + 2]), day: Int(payload[offset + 3]))
  }

  /// Returns the date and the time of day. Seven bytes at the offset contain a rounded time, and a fraction of -1 s to 1 s
  /// corrects it. The result for a leap second is 23:59:59 and a fraction, since the message does not mark leap seconds.
  static func clock(
    _ payload: Span<UInt8>, at offset: Int, fraction: Int32
  ) -> (date: UTCDate?, timeOfDay: TimeOfDay)? {
    let date = day(payload, at: offset)
    let (hour, minute, second) = (Int(payload[offset + 4]), Int(payload[offset + 5]), Int(payload[offset + 6]))
    let fraction = Int(fraction)
    guard (-1_000_000_000...1_000_000_000).contains(fraction),
      TimeOfDay(hour: hour, minute: minute, second: second) != nil
    else { return nil }
    if (0..<1_000_000_000).contains(fraction) {
      return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: fraction).map { (date, $0) }
    }
    let billion = 1_000_000_000
    if second == 60 {
      // The corrected time is in the leap second itself or in the second directly before it.
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
