/// NAV-STATUS: the state of the solution of one navigation epoch. (16 bytes; u-blox 6 and M8 R27 receiver descriptions)
public struct NavSTATUS: Hashable, Sendable {
  /// The GPS time of week of the epoch in milliseconds.
  public var timeOfWeek: UInt32
  /// The kind of solution. (gpsFix)
  public var fixType: NavPVT.FixType
  /// Whether the fix is within the receiver's limits for dilution and accuracy. (gpsFixOk)
  public var isFixOK: Bool
  /// Whether corrections were applied. (diffSoln)
  public var isDifferential: Bool
  /// The receiver's verdict about false signals. Receivers before M8 report no verdict. (spoofDetState)
  public var spoofing: SignalThreat

  /// Parses the payload of a frame.
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
