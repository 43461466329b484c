/// The UBX message NAV-SOL: position and velocity in the earth-centred frame (ECEF), from u-blox 5 and 6. Newer
/// receivers up to M8 can also send the message. (52 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavSOL: Hashable, Sendable {
  /// The GPS time of week of the solution in milliseconds.
  public var timeOfWeek: UInt32
  /// The nanoseconds to add to `timeOfWeek` for the exact time; the value may be negative.
  public var fraction: Int32
  /// The GPS week number; nil if the receiver marks the week or the time of week as invalid.
  public var week: Int?
  /// The type of the position solution, for example two-dimensional. (gpsFix)
  public var fixType: NavPVT.FixType
  /// Whether the receiver considers the fix valid, because the dilution of precision and the accuracy are within the
  /// receiver's limits. (gpsFixOK)
  public var isFixOK: Bool
  /// Whether the position includes differential corrections, for example from SBAS satellites. (DiffSoln)
  public var isDifferential: Bool
  /// The position in the earth-centred, earth-fixed frame (ECEF) in metres.
  public var position: SIMD3<Double>
  /// The estimated error of the position in three dimensions, in metres; nil if unknown.
  public var positionAccuracy: Double?
  /// The velocity in the earth-centred, earth-fixed frame (ECEF) in m/s.
  public var velocity: SIMD3<Double>
  /// The standard deviation of the speed in m/s; nil if unknown.
  public var speedAccuracy: Double?
  /// The position dilution of precision (PDOP); nil if unknown.
  public var positionDilution: Double?
  /// The count of satellites that the receiver used for the position. (numSV)
  public var satellitesUsed: Int

  /// Creates a NAV-SOL message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 52 else { throw .payloadLength(.navSOL, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    fraction = payload.i4(at: 4)
    fixType = NavPVT.FixType(rawValue: payload[10]) ?? .none
    let flags = payload[11]
    isFixOK = flags & 0x01 != 0
    isDifferential = flags & 0x02 != 0
    week = flags & 0x0C == 0x0C ? Int(payload.i2(at: 8)) : nil
    position = NavSOL.metres(payload, at: 12)
    positionAccuracy = NavPVT.known(payload.u4(at: 24)).map { Double($0) / 100 }
    velocity = NavSOL.metres(payload, at: 28)
    speedAccuracy = NavPVT.known(payload.u4(at: 40)).map { Double($0) / 100 }
    positionDilution = NavDOP.dilution(payload.u2(at: 44))
    satellitesUsed = Int(payload[47])
  }

  /// Reads a vector in centimetres at a byte offset of the payload, and returns the vector in metres.
  private static func metres(_ payload: Span<UInt8>, at offset: Int) -> SIMD3<Double> {
    SIMD3(
      Double(payload.i4(at: offset)), Double(payload.i4(at: offset + 4)), Double(payload.i4(at: offset + 8))) / 100
  }
}
