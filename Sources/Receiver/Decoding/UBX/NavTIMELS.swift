/// The UBX message NAV-TIMELS: the next leap second. (24 bytes; M8 R27 and M10 SPG 5.10)
public struct NavTIMELS: Hashable, Sendable {
  /// A leap second that is scheduled for the future.
  public struct Event: Hashable, Sendable {
    /// Whether UTC gets an additional second. If false, UTC skips a second.
    public var isInsertion: Bool
    /// The count of seconds until the leap second, more than 0.
    public var remaining: Int
  }

  /// The next leap second; nil if none is scheduled, or if the receiver does not mark its time as valid.
  public var next: Event?

  /// Parses the payload of a NAV-TIMELS message.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 24 else { throw .payloadLength(.navTIMELS, payload.count) }
    let (change, remaining) = (payload.i1(at: 11), Int(payload.i4(at: 12)))
    guard payload[23] & 0x02 != 0, abs(Int(change)) == 1, remaining > 0 else { return }
    next = Event(isInsertion: change > 0, remaining: remaining)
  }
}
