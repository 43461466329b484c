public import GNSS

/// The source of a sentence: the two letters before the type. (NMEA 0183 v4.11 table 2)
public struct Talker: Hashable, Sendable {
  /// The letters as ASCII. The first letter is in the lower byte.
  let code: UInt16

  init(code: UInt16) {
    self.code = code
  }

  /// Creates a talker from two upper-case letters or digits. Returns nil for another text.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 2, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
      return nil
    }
    self.code = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
  }

  /// GPS: `GP`.
  public static let gps = Talker(code: 0x50_47)
  /// GLONASS: `GL`.
  public static let glonass = Talker(code: 0x4C_47)
  /// Galileo: `GA`.
  public static let galileo = Talker(code: 0x41_47)
  /// BeiDou: `GB`, the standard's letters.
  public static let beidou = Talker(code: 0x42_47)
  /// BeiDou: `BD`, the letters of Chinese receivers.
  public static let beidouBD = Talker(code: 0x44_42)
  /// Several systems together: `GN`.
  public static let combined = Talker(code: 0x4E_47)
  /// QZSS: `GQ`, the standard's letters.
  public static let qzss = Talker(code: 0x51_47)
  /// QZSS: `QZ`, the letters of some receivers.
  public static let qzssQZ = Talker(code: 0x5A_51)
  /// QZSS: `PQ`, the letters of Quectel receivers. Sentences with this talker are not proprietary.
  public static let qzssPQ = Talker(code: 0x51_50)
  /// NavIC: `GI`.
  public static let navic = Talker(code: 0x49_47)
  /// Proprietary sentences: `P`.
  public static let proprietary = Talker(code: 0x50)

  /// The talkers that have a row in the statistics, in the order of the rows.
  static let known: [Talker] = [
    gps, combined, glonass, galileo, beidou, beidouBD, qzss, qzssQZ, qzssPQ, navic, proprietary,
  ]

  @inline(__always)
  var knownIndex: Int? {
    switch code {
    case 0x50_47: 0
    case 0x4E_47: 1
    case 0x4C_47: 2
    case 0x41_47: 3
    case 0x42_47: 4
    case 0x44_42: 5
    case 0x51_47: 6
    case 0x5A_51: 7
    case 0x51_50: 8
    case 0x49_47: 9
    case 0x50: 10
    default: nil
    }
  }

  /// The navigation system of the letters; nil if they do not stand for one system.
  public var constellation: Constellation? {
    switch self {
    case .gps: .gps
    case .glonass: .glonass
    case .galileo: .galileo
    case .beidou, .beidouBD: .beidou
    case .qzss, .qzssQZ, .qzssPQ: .qzss
    case .navic: .navic
    default: nil
    }
  }
}

extension Talker: CustomStringConvertible {
  public var description: String {
    var text = ""
    for byte in [UInt8(truncatingIfNeeded: code), UInt8(code >> 8)] where byte != 0 {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return text
  }
}
