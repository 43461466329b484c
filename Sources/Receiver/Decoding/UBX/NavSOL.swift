/// NAV-SOL: the navigation solution of u-blox 5 and 6, in the earth-centred frame. Newer receivers up to M8 also send
/// it. (52 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavSOL: Hashable, Sendable {
  /// The GPS time of week of the epoch in milliseconds.
  public var timeOfWeek: UInt32
  /// The difference between the exact GPS time of week and `timeOfWeek` in nanoseconds.
  public var fraction: Int32
  /// The GPS week; nil if the receiver does not mark the week and the time of week as valid.
  public var week: Int?
  /// The kind of solution. (gpsFix)
  public var fixType: NavPVT.FixType
  /// Whether the fix is within the receiver's limits for dilution and accuracy. (gpsFixOK)
  public var isFixOK: Bool
  /// Whether corrections were applied. (DiffSoln)
  public var isDifferential: Bool
  /// The position in the earth-centred frame in metres.
  public var position: SIMD3<Double>
  /// The estimated error of the position in three dimensions, in metres.
  public var positionAccuracy: Double?
  /// The velocity in the earth-centred frame in metres per second.
  public var velocity: SIMD3<Double>
  /// The estimated error of the speed in metres per second, one standard deviation.
  public var speedAccuracy: Double?
  /// The position dilution of precision; nil if unknown (0).
  public var positionDilution: Double?
  /// The number of satellites in the solution. (numSV)
  public var satellitesUsed: Int

  /// Parses the payload of a frame.
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

  /// Returns a vector that the payload contains in centimetres.
  private static func metres(_ payload: Span<UInt8>, at offset: Int) -> SIMD3<Double> {
    SIMD3(
      Double(payload.i4(at: offset)), Double(payload.i4(at: offset + 4)), Double(payload.i4(at: offset + 8))) / 100
  }
}
