public import GNSS

/// The UBX message NAV-POSLLH or NAV-HPPOSLLH with a position. The message does not tell whether the position is valid,
/// so a caller also needs `NavSTATUS` or `NavSOL`. (28 bytes; u-blox 6 and M8 R27 receiver descriptions. NAV-HPPOSLLH:
/// 36 bytes; ZED-F9P HPG 1.32 §3.15.9)
public struct NavPOSLLH: Hashable, Sendable {
  /// The GPS time of week of the position in milliseconds.
  public var timeOfWeek: UInt32
  /// The latitude and longitude; nil if out of range or marked as invalid.
  public var coordinate: Coordinate?
  /// The height above the WGS 84 ellipsoid in metres.
  public var height: Double
  /// The altitude above mean sea level in metres.
  public var altitude: Double
  /// The estimated horizontal error in metres, as defined by `Epoch.horizontalAccuracy`; nil if unknown.
  public var horizontalAccuracy: Double?
  /// The standard deviation of the altitude in metres; nil if unknown.
  public var verticalAccuracy: Double?

  /// Creates a NAV-POSLLH message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 28 else { throw .payloadLength(.navPOSLLH, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    coordinate = Coordinate(
      latitude: Double(payload.i4(at: 8)) / 1e7, longitude: Double(payload.i4(at: 4)) / 1e7)
    height = Double(payload.i4(at: 12)) / 1000
    altitude = Double(payload.i4(at: 16)) / 1000
    horizontalAccuracy = NavPVT.known(payload.u4(at: 20)).map { Double($0) / 1000 }
    verticalAccuracy = NavPVT.known(payload.u4(at: 24)).map { Double($0) / 1000 }
  }

  /// Creates a NAV-HPPOSLLH message from the payload of a UBX frame. The resolution is 1e-9 degrees and tenths of a
  /// millimetre.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  init(highPrecision payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 36 else { throw .payloadLength(.navHPPOSLLH, payload.count) }
    func fine(_ coarse: Int, _ rest: Int, _ factor: Int64) -> Int64 {
      Int64(payload.i4(at: coarse)) * factor + Int64(Int8(bitPattern: payload[rest]))
    }
    timeOfWeek = payload.u4(at: 4)
    let isInvalid = payload[3] & 0x01 != 0
    coordinate =
      isInvalid
      ? nil : Coordinate(latitude: Double(fine(12, 25, 100)) / 1e9, longitude: Double(fine(8, 24, 100)) / 1e9)
    height = Double(fine(16, 26, 10)) / 1e4
    altitude = Double(fine(20, 27, 10)) / 1e4
    horizontalAccuracy = NavPVT.known(payload.u4(at: 28)).map { Double($0) / 1e4 }
    verticalAccuracy = NavPVT.known(payload.u4(at: 32)).map { Double($0) / 1e4 }
  }
}
