public import GNSS

/// The talker of an NMEA sentence: the two letters before the sentence type, which identify the sender or the
/// constellation. (NMEA 0183 v4.11 table 2)
public struct Talker: Hashable, Sendable {
  /// The two ASCII letters as a number. The first letter is the low byte.
  let code: UInt16

  init(code: UInt16) {
    self.code = code
  }

  /// Creates a talker from two capital letters or digits; nil for any other text.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 2, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
      return nil
    }
    self.code = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
  }

  /// The talker of GPS sentences: `GP`.
  public static let gps = Talker(code: 0x50_47)
  /// The talker of GLONASS sentences: `GL`.
  public static let glonass = Talker(code: 0x4C_47)
  /// The talker of Galileo sentences: `GA`.
  public static let galileo = Talker(code: 0x41_47)
  /// The talker of BeiDou sentences in the standard: `GB`.
  public static let beidou = Talker(code: 0x42_47)
  /// The talker of BeiDou sentences from Chinese receivers: `BD`.
  public static let beidouBD = Talker(code: 0x44_42)
  /// The talker of sentences about several constellations together: `GN`.
  public static let combined = Talker(code: 0x4E_47)
  /// The talker of QZSS sentences in the standard: `GQ`.
  public static let qzss = Talker(code: 0x51_47)
  /// The talker of QZSS sentences from some receivers: `QZ`.
  public static let qzssQZ = Talker(code: 0x5A_51)
  /// The talker of QZSS sentences from Quectel receivers: `PQ`. These sentences are not proprietary, although they
  /// begin with `P`.
  public static let qzssPQ = Talker(code: 0x51_50)
  /// The talker of NavIC sentences: `GI`.
  public static let navic = Talker(code: 0x49_47)
  /// The talker that stands for all proprietary sentences, which begin with `P`.
  public static let proprietary = Talker(code: 0x50)

  /// The talkers for which `Statistics` counts each NMEA sentence type separately.
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

  /// The constellation of the talker; nil if the letters do not mean exactly one constellation.
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
