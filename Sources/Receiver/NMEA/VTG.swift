/// Course and speed. (NMEA 0183 v4.11 VTG; 8 or 9 fields, depending on the version; 4 fields in the oldest version;
/// senders omit fields at the end)
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
    try fields.requireLeast()
    course = fields.course(in: bytes)
    if fields.count == 4, !fields.nextIsLetter(in: bytes) {
      // Before version 2, the sentence contains four numbers without units. (gpsd, "NMEA Revealed", VTG)
      magneticCourse = fields.course(in: bytes)
      speedKnots = fields.magnitude(in: bytes)
      speedKilometresPerHour = fields.magnitude(in: bytes)
      return
    }
    course = fields.value(course, unit: 0x54, in: bytes)
    magneticCourse = fields.value(fields.course(in: bytes), unit: 0x4D, in: bytes)
    speedKnots = fields.value(fields.magnitude(in: bytes), unit: 0x4E, in: bytes)
    speedKilometresPerHour = fields.value(fields.magnitude(in: bytes), unit: 0x4B, in: bytes)
    if fields.hasMore { mode = fields.mode(in: bytes) }
    fields.noteRest(in: bytes)
  }

  /// The speed over ground in metres per second.
  public var speed: Double? {
    speedKnots.map { $0 * (1852.0 / 3600.0) } ?? speedKilometresPerHour.map { $0 / 3.6 }
  }
}

extension Fields {
  /// Whether the next field is one letter.
  fileprivate func nextIsLetter(in bytes: Span<UInt8>) -> Bool {
    var ahead = self
    let field = ahead.next(in: bytes)
    return field.length == 1 && (0x41...0x5A).contains(UInt8(truncatingIfNeeded: field.raw))
  }
}
