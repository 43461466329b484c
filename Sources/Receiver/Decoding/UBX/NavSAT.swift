import GNSS

/// The UBX message NAV-SAT: the satellites in view. (8 bytes, and 12 for each satellite; version 1)
///
/// The satellites are numbered within their constellation (GPS 1...32, Galileo 1...36, BeiDou 1...63, SBAS 120...158,
/// QZSS 1...10, GLONASS slot 1...32).
enum NavSAT {
  /// Parses the payload of a NAV-SAT message, and replaces the contents of `satellites` with the satellites in view.
  /// Returns the GPS time of week in milliseconds.
  /// - Throws: `UBXError` if the payload has a wrong length or version.
  static func read(_ payload: Span<UInt8>, into satellites: inout [Satellite]) throws(UBXError) -> UInt32 {
    guard payload.count >= 8 else { throw .payloadLength(.navSAT, payload.count) }
    guard payload[4] == 1 else { throw .version(.navSAT, payload[4]) }
    let count = Int(payload[5])
    guard payload.count >= 8 + 12 * count else { throw .payloadLength(.navSAT, payload.count) }
    satellites.removeAll(keepingCapacity: true)
    for index in 0..<count {
      if let satellite = satellite(payload, at: 8 + 12 * index) { satellites.append(satellite) }
    }
    return payload.u4(at: 0)
  }

  /// Returns the satellite at a byte offset; nil for an unknown constellation, or for a GLONASS satellite with an
  /// unknown number (255).
  private static func satellite(_ payload: Span<UInt8>, at offset: Int) -> Satellite? {
    guard let constellation = Constellation(gnssID: Int(payload[offset])), payload[offset + 1] != 255 else {
      return nil
    }
    return satellite(
      constellation, Int(payload[offset + 1]), strength: payload[offset + 2], elevation: payload.i1(at: offset + 3),
      azimuth: payload.i2(at: offset + 4), isUsed: payload.u4(at: offset + 8) & 0x08 != 0)
  }

  /// Creates a satellite from the receiver's numbers. A number that means unknown becomes nil.
  static func satellite(
    _ constellation: Constellation, _ number: Int, strength: UInt8, elevation: Int8, azimuth: Int16, isUsed: Bool
  ) -> Satellite {
    // If the elevation is unknown (-91), the azimuth is also unknown.
    let hasDirection = (-90...90).contains(elevation) && (0...360).contains(azimuth)
    return Satellite(
      constellation: constellation, number: number, elevation: hasDirection ? Int(elevation) : nil,
      azimuth: hasDirection ? Int(azimuth) % 360 : nil,
      signalStrength: (1...99).contains(strength) ? Int(strength) : nil,
      isUsed: isUsed)
  }
}
