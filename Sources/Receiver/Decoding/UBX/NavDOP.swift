/// NAV-DOP: the dilutions of precision of one epoch, without a unit; nil if unknown. (18 bytes)
public struct NavDOP: Hashable, Sendable {
  /// The GPS time of week in milliseconds.
  public var timeOfWeek: UInt32
  /// The dilution of the position (PDOP).
  public var position: Double?
  /// The dilution of the altitude (VDOP).
  public var vertical: Double?
  /// The dilution of latitude and longitude (HDOP).
  public var horizontal: Double?

  /// Parses the payload of a frame. Throws an error if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 18 else { throw .payloadLength(.navDOP, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    position = NavDOP.dilution(payload.u2(at: 6))
    vertical = NavDOP.dilution(payload.u2(at: 10))
    horizontal = NavDOP.dilution(payload.u2(at: 12))
  }

  /// Converts a dilution from hundredths. Returns nil for 0, which means unknown. A receiver without a fix sends 99.99.
  static func dilution(_ hundredths: UInt16) -> Double? {
    hundredths == 0 ? nil : Double(hundredths) / 100
  }
}
