public import GNSS

/// NAV-POSLLH: the position of one navigation epoch. The message does not tell whether the position is valid: see
/// `NavSTATUS` and `NavSOL`. (28 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavPOSLLH: Hashable, Sendable {
  /// The GPS time of week of the epoch in milliseconds.
  public var timeOfWeek: UInt32
  /// The position; nil if it is out of range.
  public var coordinate: Coordinate?
  /// The height in metres above the WGS 84 ellipsoid.
  public var height: Double
  /// The altitude in metres above mean sea level.
  public var altitude: Double
  /// The estimated horizontal error in metres. `Epoch.horizontalAccuracy` contains the definition of this error.
  public var horizontalAccuracy: Double?
  /// The estimated vertical error in metres, one standard deviation.
  public var verticalAccuracy: Double?

  /// Parses the payload of a frame.
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
}
