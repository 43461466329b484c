public import Base
public import GNSS

/// The UBX message NAV-PVT: position, velocity and time of one instant, with estimates of the errors. (u-blox M8 R27
/// §32.17.15, ZED-F9P HPG 1.32 §3.15.13, M10 SPG 5.10 §3.14.12; 92 bytes, 84 on u-blox 7)
public struct NavPVT: Hashable, Sendable {
  /// The type of the receiver's position solution: its dimensions, and whether the solution comes from satellites.
  /// (fixType)
  public enum FixType: UInt8, Hashable, Sendable {
    /// The receiver has no position and no time.
    case none = 0
    /// The position comes from dead reckoning (motion sensors) alone.
    case deadReckoning = 1
    /// The position consists of latitude and longitude, without an altitude.
    case twoDimensional = 2
    /// The position consists of latitude, longitude and altitude.
    case threeDimensional = 3
    /// The position comes from satellites and dead reckoning (motion sensors) together.
    case combined = 4
    /// The receiver knows the time, but not its position.
    case timeOnly = 5
  }

  /// The use of the carrier phases of the satellite signals, which give centimetre accuracy. (carrSoln)
  public enum CarrierSolution: UInt8, Hashable, Sendable {
    /// The solution does not use carrier phases.
    case none = 0
    /// The solution uses carrier phases, but the count of whole wavelengths (the ambiguity) is not resolved to an
    /// integer.
    case float = 1
    /// The solution uses carrier phases, and the count of whole wavelengths (the ambiguity) is resolved to an integer.
    /// This solution is the most accurate.
    case fixed = 2
  }

  /// The GPS time of week in milliseconds. All messages of one instant contain the same value.
  public var timeOfWeek: UInt32
  /// The date in UTC; nil if the date does not exist, or if the receiver does not mark the date as valid.
  public var date: UTCDate?
  /// The time of day in UTC with a resolution of one nanosecond; nil if the receiver does not mark the time as valid.
  /// The value is 23:59:60 in a leap second.
  public var timeOfDay: TimeOfDay?
  /// Whether the receiver knows the count of leap seconds between GPS time and UTC. If false, the time can be wrong by
  /// seconds.
  public var isTimeResolved: Bool
  /// The type of the position solution, for example two-dimensional.
  public var fixType: FixType
  /// Whether the receiver considers the fix valid, because the dilution of precision and the accuracy are within the
  /// receiver's limits.
  public var isFixOK: Bool
  /// Whether the position includes differential corrections, for example from SBAS satellites. (flags, diffSoln)
  public var isDifferential: Bool
  /// The use of the carrier phases of the satellite signals. (flags, carrSoln)
  public var carrierSolution: CarrierSolution
  /// The count of satellites that the receiver used for the position. (numSV)
  public var satellitesUsed: Int
  /// The latitude and longitude; nil if out of range or marked as invalid (`invalidLlh`). A receiver may report a
  /// position without a fix (see `isFixOK` and `fixType`).
  public var coordinate: Coordinate?
  /// The height above the WGS 84 ellipsoid in metres; nil if `coordinate` is nil.
  public var height: Double?
  /// The altitude above mean sea level in metres; nil if `coordinate` is nil.
  public var altitude: Double?
  /// The estimated horizontal error in metres, as defined by `Epoch.horizontalAccuracy`; nil if unknown.
  public var horizontalAccuracy: Double?
  /// The standard deviation of the altitude in metres; nil if unknown.
  public var verticalAccuracy: Double?
  /// The speed over ground in m/s.
  public var speed: Double
  /// The course over ground in degrees from true north, 0..<360.
  public var course: Double
  /// The standard deviation of the speed in m/s; nil if unknown.
  public var speedAccuracy: Double?
  /// The standard deviation of the course in degrees; nil if the receiver reports no error. The receiver reports 180
  /// degrees if the course itself is unknown.
  public var courseAccuracy: Double?
  /// The position dilution of precision (PDOP); nil if unknown.
  public var positionDilution: Double?

  /// Creates a solution in which the time, the position and the velocity are unknown.
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

  /// Creates a NAV-PVT message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
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

  /// Parses the payload of an HNR-PVT message, which receivers with inertial sensors send between two NAV-PVT messages.
  /// This message has no satellites and no dilution of precision. (u-blox M8 R27 §32.16.3; 72 bytes)
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

  /// Reads the position from four numbers of four bytes, which begin at a byte offset: longitude, latitude, height and
  /// altitude.
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

  /// Returns an error estimate from a payload; nil for 0, which means unknown.
  static func known(_ value: UInt32) -> UInt32? { value == 0 ? nil : value }

  /// Converts a heading in units of 1e-5 degrees to a course in degrees, 0..<360.
  static func course(_ heading: Int32) -> Double {
    let turn: Int32 = 36_000_000
    let heading = heading % turn
    return Double(heading < 0 ? heading + turn : heading) / 1e5
  }

  private static func day(_ payload: Span<UInt8>, at offset: Int) -> UTCDate? {
    UTCDate(year: Int(payload.u2(at: offset)), month: Int(payload[offset + 2]), day: Int(payload[offset + 3]))
  }

  /// Returns the date and the time of day; nil if the time is invalid. The payload contains a rounded time in seven
  /// bytes, from the byte offset. `fraction`, in nanoseconds, corrects this time by at most one second.
  ///
  /// A time within a leap second can become 23:59:59, because the message does not mark leap seconds.
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
