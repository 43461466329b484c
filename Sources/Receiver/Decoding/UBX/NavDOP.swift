/// The UBX message NAV-DOP: the dilutions of precision, which describe the geometry of the satellites. (18 bytes)
public struct NavDOP: Hashable, Sendable {
  /// The GPS time of week of the solution in milliseconds.
  public var timeOfWeek: UInt32
  /// The position dilution of precision (PDOP); nil if unknown.
  public var position: Double?
  /// The vertical dilution of precision (VDOP); nil if unknown.
  public var vertical: Double?
  /// The horizontal dilution of precision (HDOP); nil if unknown.
  public var horizontal: Double?

  /// Creates a NAV-DOP message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 18 else { throw .payloadLength(.navDOP, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    position = NavDOP.dilution(payload.u2(at: 6))
    vertical = NavDOP.dilution(payload.u2(at: 10))
    horizontal = NavDOP.dilution(payload.u2(at: 12))
  }

  /// Returns a dilution of precision from a number of hundredths; nil for 0, which means unknown. A receiver without a
  /// fix sends 99.99.
  static func dilution(_ hundredths: UInt16) -> Double? {
    hundredths == 0 ? nil : Double(hundredths) / 100
  }
}
