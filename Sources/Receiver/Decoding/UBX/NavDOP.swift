/// The UBX message NAV-DOP: the dilutions of precision of one position solution, without a unit. A value is nil if
/// unknown. (18 bytes)
public struct NavDOP: Hashable, Sendable {
  /// The GPS time of week of the solution in milliseconds.
  public var timeOfWeek: UInt32
  /// The position dilution of precision (PDOP).
  public var position: Double?
  /// The vertical dilution of precision (VDOP).
  public var vertical: Double?
  /// The horizontal dilution of precision (HDOP).
  public var horizontal: Double?

  /// Parses the payload of a NAV-DOP message.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 18 else { throw .payloadLength(.navDOP, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    position = NavDOP.dilution(payload.u2(at: 6))
    vertical = NavDOP.dilution(payload.u2(at: 10))
    horizontal = NavDOP.dilution(payload.u2(at: 12))
  }

  /// Converts a dilution of precision from hundredths. Returns nil for 0, which means unknown. A receiver without a fix
  /// sends 99.99.
  static func dilution(_ hundredths: UInt16) -> Double? {
    hundredths == 0 ? nil : Double(hundredths) / 100
  }
}
