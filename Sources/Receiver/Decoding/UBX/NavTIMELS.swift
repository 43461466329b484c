/// The UBX message NAV-TIMELS with the next leap second. (24 bytes; M8 R27 and M10 SPG 5.10)
public struct NavTIMELS: Hashable, Sendable {
  /// A scheduled leap second.
  public struct Event: Hashable, Sendable {
    /// Whether UTC gets an additional second (true) or skips a second (false).
    public var isInsertion: Bool
    /// The time until the leap second in seconds, more than 0.
    public var remaining: Int
  }

  /// The next leap second; nil if none is scheduled, or if the receiver does not know the time.
  public var next: Event?

  /// Creates a NAV-TIMELS message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 24 else { throw .payloadLength(.navTIMELS, payload.count) }
    let (change, remaining) = (payload.i1(at: 11), Int(payload.i4(at: 12)))
    guard payload[23] & 0x02 != 0, abs(Int(change)) == 1, remaining > 0 else { return }
    next = Event(isInsertion: change > 0, remaining: remaining)
  }
}
