/// The UBX message NAV-TIMEGPS with the GPS time and the leap seconds. (16 bytes; u-blox 6 and M8 R27 receiver
/// descriptions)
public struct NavTIMEGPS: Hashable, Sendable {
  /// The GPS time of week in milliseconds.
  public var timeOfWeek: UInt32
  /// The difference between GPS time and UTC in seconds; nil if the receiver does not mark the difference as valid.
  public var leapSeconds: Int?

  /// Creates a NAV-TIMEGPS message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 16 else { throw .payloadLength(.navTIMEGPS, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    leapSeconds = payload[11] & 0x04 != 0 ? Int(payload.i1(at: 10)) : nil
  }
}
