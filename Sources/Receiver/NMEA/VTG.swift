/// Course and speed. (NMEA 0183 v4.11 VTG; 8 or 9 fields, depending on the version; 4 fields in the oldest version)
public struct VTG: Hashable, Sendable {
  /// The course over ground in degrees from true north, 0..<360. (field 1)
  public var course: Double?
  /// The course over ground in degrees from magnetic north, 0..<360. (field 3)
  public var magneticCourse: Double?
  /// The speed over ground in knots. (field 5)
  public var speedKnots: Double?
  /// The speed over ground in km/h. (field 7)
  public var speedKilometresPerHour: Double?
  /// The method of the fix. (field 9, v2.3+)
  public var mode: ModeIndicator?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    if fields.count == 4 {
      // Before version 2, the sentence contains four numbers without units. (gpsd, "NMEA Revealed", VTG)
      course = try fields.course(in: bytes)
      magneticCourse = try fields.course(in: bytes)
      speedKnots = try fields.magnitude(in: bytes)
      speedKilometresPerHour = try fields.magnitude(in: bytes)
      return
    }
    try fields.require(8...9)
    course = try fields.course(in: bytes)
    try fields.unit(0x54, in: bytes)
    magneticCourse = try fields.course(in: bytes)
    try fields.unit(0x4D, in: bytes)
    speedKnots = try fields.magnitude(in: bytes)
    try fields.unit(0x4E, in: bytes)
    speedKilometresPerHour = try fields.magnitude(in: bytes)
    try fields.unit(0x4B, in: bytes)
    if fields.count >= 9 { mode = try fields.mode(in: bytes) }
  }

  /// The speed over ground in metres per second.
  public var speed: Double? {
    speedKnots.map { $0 * (1852.0 / 3600.0) } ?? speedKilometresPerHour.map { $0 / 3.6 }
  }
}
