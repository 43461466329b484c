/// The receiver's reports about spoofing and jamming in one UBX message.
public struct SignalThreats: Hashable, Sendable {
  /// The threat level of spoofing (false satellite signals); nil if messages of this type have no such level.
  public var spoofing: SignalThreat?
  /// The threat level of jamming (interference with the satellite signals); nil if messages of this type have no such
  /// level.
  public var jamming: SignalThreat?

  /// Creates the threat levels from a UBX message SEC-SIG, NAV-STATUS, MON-RF or MON-HW. Returns nil for a message of
  /// another type.
  ///
  /// - Throws: `UBXError` if the payload has a wrong length or version.
  public init?(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    switch identifier {
    case .navSTATUS: spoofing = try NavSTATUS(payload).spoofing
    case .secSIG: try readSecuritySignals(payload)
    case .monRF: jamming = try SignalThreats.bands(payload)
    case .monHW:
      // 60 bytes since u-blox 7, 68 before. Receivers before u-blox 6 send zeros, which mean unknown. (u-blox 6 and M8
      // R27 receiver descriptions)
      guard payload.count >= 60 else { throw .payloadLength(.monHW, payload.count) }
      jamming = SignalThreat(payload[22] >> 2)
    default: return nil
    }
  }

  /// Reads the threat levels from the message SEC-SIG. Version 1 has separate bytes for spoofing and jamming (M10 SPG
  /// 5.10). Version 2 has one byte for both, and a list of frequencies (F10 SPG 6.00). If a detection is off, its
  /// threat level is `unknown`.
  private mutating func readSecuritySignals(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 4 else { throw .payloadLength(.secSIG, payload.count) }
    let isCombined = payload[0] >= 2
    guard isCombined || payload.count >= 12 else { throw .payloadLength(.secSIG, payload.count) }
    guard payload[0] >= 1 else { throw .version(.secSIG, payload[0]) }
    let jammingFlags = isCombined ? payload[1] : payload[4]
    let spoofingFlags = isCombined ? payload[1] >> 3 : payload[8]
    jamming = jammingFlags & 0x01 != 0 ? SignalThreat(jammingFlags >> 1) : .unknown
    spoofing = spoofingFlags & 0x01 != 0 ? SignalThreat(spoofingFlags >> 1) : .unknown
  }

  /// Returns the highest threat level of jamming in the message MON-RF, which has a block of 24 bytes for each
  /// frequency band. (M10 SPG 5.10)
  private static func bands(_ payload: Span<UInt8>) throws(UBXError) -> SignalThreat {
    // Prototypes of the F9R send shorter blocks, whose contents are not documented.
    guard payload.count >= 4, payload.count == 4 + 24 * Int(payload[1]) else {
      throw .payloadLength(.monRF, payload.count)
    }
    return (0..<Int(payload[1])).map { SignalThreat(payload[5 + 24 * $0]) }.max() ?? .unknown
  }
}
