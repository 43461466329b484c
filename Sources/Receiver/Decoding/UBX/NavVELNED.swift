/// The UBX message NAV-VELNED: the velocity over ground. (36 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavVELNED: Hashable, Sendable {
  /// The GPS time of week of the velocity in milliseconds.
  public var timeOfWeek: UInt32
  /// The speed over ground in m/s.
  public var speed: Double
  /// The course over ground in degrees from true north, 0..<360.
  public var course: Double
  /// The standard deviation of the speed in m/s; nil if unknown.
  public var speedAccuracy: Double?
  /// The standard deviation of the course in degrees; nil if the receiver reports no error. The receiver reports 180
  /// degrees if the course itself is unknown.
  public var courseAccuracy: Double?

  /// Creates a NAV-VELNED message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 36 else { throw .payloadLength(.navVELNED, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    speed = Double(payload.u4(at: 20)) / 100
    course = NavPVT.course(payload.i4(at: 24))
    speedAccuracy = NavPVT.known(payload.u4(at: 28)).map { Double($0) / 100 }
    courseAccuracy = NavPVT.known(payload.u4(at: 32)).map { Double($0) / 1e5 }
  }
}
