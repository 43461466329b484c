import GNSS

/// The meaning of satellite numbers. (NMEA 0183 v4.11 table 20; u-blox "Satellite numbering"; Quectel and MediaTek
/// protocol manuals)
enum SatelliteNumber {
  /// Returns the system of a satellite number in a sentence with the given talker; nil if the system is unknown.
  @inline(__always)
  static func constellation(of number: Int, talker: Talker) -> Constellation? {
    // The comparison is true for most satellites.
    if talker == .gps, number <= 32 { return .gps }
    return otherConstellation(of: number, talker: talker)
  }

  @inline(never)
  private static func otherConstellation(of number: Int, talker: Talker) -> Constellation? {
    switch talker {
    case .gps:
      switch number {
      case 33...64, 120...158: .sbas
      case 65...99: .glonass
      case 193...202: .qzss
      default: .gps
      }
    case .glonass: (33...64).contains(number) ? .sbas : .glonass
    default: talker.constellation ?? constellation(of: number)
    }
  }

  /// Returns the system of a satellite number in a GSA sentence. The system id has priority over the talker.
  @inline(__always)
  static func constellation(of number: Int, systemID: Int?, talker: Talker) -> Constellation? {
    switch systemID {
    case 1: constellation(of: number, talker: .gps)
    case 2: constellation(of: number, talker: .glonass)
    case 3: .galileo
    case 4: .beidou
    case 5: .qzss
    case 6: .navic
    default: constellation(of: number, talker: talker)
    }
  }

  /// Returns the system of a satellite number in a sentence with several systems, each with its own range of numbers.
  private static func constellation(of number: Int) -> Constellation? {
    switch number {
    case 1...32: .gps
    case 33...64, 120...158: .sbas
    case 65...99: .glonass
    case 193...202: .qzss
    case 201...264, 401...463: .beidou
    case 301...336: .galileo
    default: nil
    }
  }

  /// Returns a mask with one bit for a satellite within its system; nil if the mask has no bit for the number. The bit
  /// is the same in all numbering schemes. `index` is the index of the system, 0...6.
  @inline(__always)
  static func bit(of number: Int, at index: Int) -> UInt64? {
    // A number below 64 counts the satellites of its own system. Augmentation satellites (index 6) are an exception.
    if number < 64, index != 6 { return 1 &<< UInt64(truncatingIfNeeded: number) }
    return otherBit(of: number, at: index)
  }

  @inline(never)
  private static func otherBit(of number: Int, at index: Int) -> UInt64? {
    let base =
      switch Constellation(index: index) {
      case .gps, .navic, nil: 0
      case .sbas: number >= 120 ? 119 : 32
      case .glonass: number > 64 ? 64 : 0
      case .galileo: number > 300 ? 300 : 0
      case .beidou: number > 400 ? 400 : number > 200 ? 200 : 0
      case .qzss: number > 192 ? 192 : 0
      }
    let bit = number - base
    return (0..<64).contains(bit) ? 1 &<< UInt64(bit) : nil
  }
}
