/// The supported sentence types. (NMEA 0183 v4.11 §6.3; protocol manuals of u-blox, Garmin and Quectel)
public enum SentenceType: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable, CustomStringConvertible {
  /// Standard types, named by the three letters after the talker.
  case gga, rmc, gsa, gsv, gst, vtg, gll, gns, zda, hdt, dtm, txt, gbs
  /// `PUBX,00`: u-blox position.
  case pubxPosition
  /// `PUBX,04`: u-blox time.
  case pubxTime
  /// `PGRME` and `PQTMEPE`: the receiver's estimate of its error.
  case positionError

  public var description: String {
    switch self {
    case .gga: "GGA"
    case .rmc: "RMC"
    case .gsa: "GSA"
    case .gsv: "GSV"
    case .gst: "GST"
    case .vtg: "VTG"
    case .gll: "GLL"
    case .gns: "GNS"
    case .zda: "ZDA"
    case .hdt: "HDT"
    case .dtm: "DTM"
    case .txt: "TXT"
    case .gbs: "GBS"
    case .pubxPosition: "PUBX,00"
    case .pubxTime: "PUBX,04"
    case .positionError: "position-error"
    }
  }

  /// Returns the type for three letters; nil if it is unsupported. The first letter is in the lowest byte.
  @inline(__always)
  init?(code: UInt32) {
    switch code {
    case 0x41_47_47: self = .gga
    case 0x43_4D_52: self = .rmc
    case 0x41_53_47: self = .gsa
    case 0x56_53_47: self = .gsv
    case 0x54_53_47: self = .gst
    case 0x47_54_56: self = .vtg
    case 0x4C_4C_47: self = .gll
    case 0x53_4E_47: self = .gns
    case 0x41_44_5A: self = .zda
    case 0x54_44_48: self = .hdt
    case 0x4D_54_44: self = .dtm
    case 0x54_58_54: self = .txt
    case 0x53_42_47: self = .gbs
    default: return nil
    }
  }
}
