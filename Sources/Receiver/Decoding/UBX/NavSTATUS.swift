/// The UBX message NAV-STATUS with the fix status and the detection of spoofing. (16 bytes; u-blox 6 and M8 R27
/// receiver descriptions)
public struct NavSTATUS: Hashable, Sendable {
  /// The GPS time of week of the solution in milliseconds.
  public var timeOfWeek: UInt32
  /// The type of the position solution, for example two-dimensional. (gpsFix)
  public var fixType: NavPVT.FixType
  /// Whether the receiver considers the fix valid, because the dilution of precision and the accuracy are within the
  /// receiver's limits. (gpsFixOk)
  public var isFixOK: Bool
  /// Whether the position includes differential corrections, for example from SBAS satellites. (diffSoln)
  public var isDifferential: Bool
  /// The receiver's report about spoofing (false satellite signals); `unknown` for receivers before M8. (spoofDetState)
  public var spoofing: SignalThreat

  /// Creates a NAV-STATUS message from the payload of a UBX frame.
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
