/// The UBX message NAV-STATUS: whether the receiver has a fix, and whether it detects spoofing. (16 bytes; u-blox 6 and
/// M8 R27 receiver descriptions)
public struct NavSTATUS: Hashable, Sendable {
  /// The GPS time of week of the solution in milliseconds.
  public var timeOfWeek: UInt32
  /// The kind of solution that the receiver has computed, for example two-dimensional. (gpsFix)
  public var fixType: NavPVT.FixType
  /// Whether the receiver considers the fix valid: the dilution of precision and the accuracy are within its limits.
  /// (gpsFixOk)
  public var isFixOK: Bool
  /// Whether the solution uses differential corrections. (diffSoln)
  public var isDifferential: Bool
  /// The threat level of spoofing (false satellite signals), as the receiver reports it; `unknown` for receivers before
  /// M8. (spoofDetState)
  public var spoofing: SignalThreat

  /// Parses the payload of a NAV-STATUS message.
  ///
  /// - Throws: `UBXError` if the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 16 else { throw .payloadLength(.navSTATUS, payload.count) }
    timeOfWeek = payload.u4(at: 0)
    fixType = NavPVT.FixType(rawValue: payload[4]) ?? .none
    let flags = payload[5]
    isFixOK = flags & 0x01 != 0
    isDifferential = flags & 0x02 != 0
    spoofing = SignalThreat(payload[7] >> 3)
  }
}
