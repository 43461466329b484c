public import Base

/// The UBX message NAV-TIMEUTC with the date and time in UTC. (20 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavTIMEUTC: Hashable, Sendable {
  /// The GPS time of week in milliseconds.
  public var timeOfWeek: UInt32
  /// The date in UTC; nil if the receiver does not mark the date as valid, or if the date does not exist.
  public var date: UTCDate?
  /// The time of day in UTC with a resolution of one nanosecond; nil if the receiver does not mark the time as valid.
  public var timeOfDay: TimeOfDay?

  /// Creates a NAV-TIMEUTC message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 20 else { throw .payloadLength(.navTIMEUTC, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    // The time is in UTC only if all three flags are set: without the number of leap seconds, it is off by seconds.
    guard payload[19] & 0x07 == 0x07 else { return }
    let clock = NavPVT.clock(payload, at: 12, fraction: payload.i4(at: 8))
    date = clock?.date
    timeOfDay = clock?.timeOfDay
  }
}
