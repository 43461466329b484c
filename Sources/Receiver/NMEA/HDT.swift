/// The true heading of the vessel. The heading is not the course over ground. (NMEA 0183 v4.11 HDT)
public struct HDT: Hashable, Sendable {
  /// The heading in degrees from true north, 0..<360. (field 1)
  public var heading: Double?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    heading = fields.value(fields.course(in: bytes), unit: 0x54, in: bytes)
    fields.noteRest(in: bytes)
  }
}
