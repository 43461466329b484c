/// NAV-DOP: the dilutions of precision of one navigation epoch, dimensionless; nil where unknown. (18 bytes)
public struct NavDOP: Hashable, Sendable {
  /// GPS time of week, milliseconds.
  public var timeOfWeek: UInt32
  /// Of position and time (GDOP), dimensionless.
  public var geometric: Double?
  /// Of the position (PDOP), dimensionless.
  public var position: Double?
  /// Of the time (TDOP), dimensionless.
  public var time: Double?
  /// Of the altitude (VDOP), dimensionless.
  public var vertical: Double?
  /// Of latitude and longitude (HDOP), dimensionless.
  public var horizontal: Double?
  /// To the north (NDOP), dimensionless.
  public var northing: Double?
  /// To the east (EDOP), dimensionless.
  public var easting: Double?

  /// - Throws: `UBXError` where the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 18 else { throw .payloadLength(.navDOP, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    geometric = NavDOP.dilution(payload.u2(at: 4))
    position = NavDOP.dilution(payload.u2(at: 6))
    time = NavDOP.dilution(payload.u2(at: 8))
    vertical = NavDOP.dilution(payload.u2(at: 10))
    horizontal = NavDOP.dilution(payload.u2(at: 12))
    northing = NavDOP.dilution(payload.u2(at: 14))
    easting = NavDOP.dilution(payload.u2(at: 16))
  }

  /// In hundredths; 0 and 99.99 and more are unknown.
  static func dilution(_ hundredths: UInt16) -> Double? {
    (1..<9999).contains(hundredths) ? Double(hundredths) / 100 : nil
  }
}
