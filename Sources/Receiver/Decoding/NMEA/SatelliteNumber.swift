import GNSS

/// The numbering of satellites in NMEA sentences. (NMEA 0183 v4.11 table 20; u-blox "Satellite numbering"; Quectel and
/// MediaTek protocol manuals)
enum SatelliteNumber {
  /// Returns the constellation of a satellite from its number and from the talker of the NMEA sentence; nil if the
  /// constellation is unknown. (The talker is the two letters for the sender at the start of a sentence.)
  static func constellation(of number: Int, talker: Talker) -> Constellation? {
    // The comparison is true for most satellites.
    if talker == .gps, number <= 32 { return .gps }
    return switch talker.constellation {
    case .gps:
      switch number {
      case 33...64, 120...158: .sbas
      case 65...99: .glonass
      case 193...202: .qzss
      default: .gps
      }
    case .glonass: (33...64).contains(number) ? .sbas : .glonass
    case let constellation?: constellation
    // A sentence with several constellations, each with its own range of numbers.
    case nil:
      switch number {
      case 1...32: .gps
      case 33...64, 120...158: .sbas
      case 65...99: .glonass
      case 193...202: .qzss
      case 203...264, 401...463: .beidou
      case 301...336: .galileo
      default: nil
      }
    }
  }

  /// Returns a mask with one bit that stands for a satellite within its constellation. The bit is the same for all
  /// numbering schemes. Returns nil if the number is out of range.
  static func bit(of number: Int, in constellation: Constellation) -> UInt64? {
    let base =
      switch constellation {
      case .gps, .navic: 0
      case .sbas: number >= 120 ? 119 : 32
      case .glonass: number > 64 ? 64 : 0
      case .galileo: number > 300 ? 300 : 0
      case .beidou: number > 400 ? 400 : number > 200 ? 200 : 0
      case .qzss: number > 192 ? 192 : 0
      }
    return (0..<64).contains(number - base) ? 1 << UInt64(number - base) : nil
  }
}

extension Talker {
  /// Creates a talker (the two letters for the constellation at the start of a sentence) from the number of a
  /// constellation, 1...6. Returns nil for another number. (NMEA 0183 v4.11 table 20)
  init?(systemID: Int) {
    let talkers: [Talker] = [.gps, .glonass, .galileo, .beidou, .qzss, .navic]
    guard (1...talkers.count).contains(systemID) else { return nil }
    self = talkers[systemID - 1]
  }
}
