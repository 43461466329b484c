import GNSS

/// The UBX message NAV-SVINFO: the satellites in view, from receivers before M8. (8 bytes, and 12 for each satellite;
/// u-blox 6 and M8 R27 receiver descriptions)
enum NavSVINFO {
  /// Parses the payload of a NAV-SVINFO message, and replaces the contents of `satellites` with the satellites in view.
  /// Returns the GPS time of week in milliseconds.
  /// - Throws: `UBXError` if the payload is too short.
  static func read(_ payload: Span<UInt8>, into satellites: inout [Satellite]) throws(UBXError) -> UInt32 {
    guard payload.count >= 8, payload.count >= 8 + 12 * Int(payload[4]) else {
      throw .payloadLength(.navSVINFO, payload.count)
    }
    satellites.removeAll(keepingCapacity: true)
    for index in 0..<Int(payload[4]) {
      let offset = 8 + 12 * index
      guard let (constellation, number) = identity(of: Int(payload[offset + 1])) else { continue }
      satellites.append(
        NavSAT.satellite(
          constellation, number, strength: payload[offset + 4], elevation: payload.i1(at: offset + 5),
          azimuth: payload.i2(at: offset + 6), isUsed: payload[offset + 2] & 0x01 != 0))
    }
    return payload.u4(at: 0)
  }

  /// Returns the constellation of a satellite, and its number within the constellation; nil for an unknown
  /// constellation, or for a GLONASS satellite with an unknown number (255). (M8 R27, appendix A "Satellite numbering")
  private static func identity(of number: Int) -> (Constellation, Int)? {
    switch number {
    case 1...32: (.gps, number)
    case 33...64: (.beidou, number - 27)
    case 65...96: (.glonass, number - 64)
    case 120...158: (.sbas, number)
    case 159...163: (.beidou, number - 158)
    case 193...202: (.qzss, number - 192)
    case 211...246: (.galileo, number - 210)
    default: nil
    }
  }
}
