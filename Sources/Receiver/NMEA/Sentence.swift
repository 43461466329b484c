import Base
import Framing
import GNSS

/// A parsed sentence.
public enum Sentence: Hashable, Sendable {
  /// Position, altitude and quality.
  case gga(GGA)
  /// Position, speed, course and date.
  case rmc(RMC)
  /// The satellites in the solution, and the dilution of precision of the solution.
  case gsa(GSA)
  /// Satellites in view.
  case gsv(GSV)
  /// Error estimates of the receiver.
  case gst(GST)
  /// Course and speed.
  case vtg(VTG)
  /// Position.
  case gll(GLL)
  /// Position from several systems.
  case gns(GNS)
  /// Time and date.
  case zda(ZDA)
  /// True heading.
  case hdt(HDT)
  /// The datum of the positions.
  case dtm(DTM)
  /// A text message of the receiver.
  case txt(TXT)
  /// The satellite that is most likely at fault.
  case gbs(GBS)
  /// u-blox position: `PUBX,00`.
  case pubxPosition(PUBXPosition)
  /// u-blox time: `PUBX,04`.
  case pubxTime(PUBXTime)
  /// The receiver's estimate of its error: `PGRME` or `PQTMEPE`.
  case positionError(PositionError)

  @inline(never)
  init(_ address: Address, _ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    switch address.type {
    case .gga: self = .gga(try GGA(&fields, in: bytes))
    case .rmc: self = .rmc(try RMC(&fields, in: bytes))
    case .gsa: self = .gsa(try GSA(&fields, in: bytes))
    case .gsv: self = .gsv(try GSV(&fields, in: bytes, talker: address.talker))
    case .gst: self = .gst(try GST(&fields, in: bytes))
    case .vtg: self = .vtg(try VTG(&fields, in: bytes))
    case .gll: self = .gll(try GLL(&fields, in: bytes))
    case .gns: self = .gns(try GNS(&fields, in: bytes))
    case .zda: self = .zda(try ZDA(&fields, in: bytes))
    case .hdt: self = .hdt(try HDT(&fields, in: bytes))
    case .dtm: self = .dtm(try DTM(&fields, in: bytes))
    case .txt: self = .txt(try TXT(&fields, in: bytes))
    case .gbs: self = .gbs(try GBS(&fields, in: bytes))
    case .pubxPosition: self = .pubxPosition(try PUBXPosition(&fields, in: bytes))
    case .pubxTime: self = .pubxTime(try PUBXTime(&fields, in: bytes))
    case .positionError:
      self = .positionError(try PositionError(&fields, in: bytes, source: address.length == 5 ? .garmin : .quectel))
    }
  }
}

extension Sentence {
  /// The time of the measurement, if the sentence has one. ZDA and `PUBX,04` contain the time of the receiver's clock.
  var measurementTime: TimeOfDay? {
    switch self {
    case .gga(let gga): gga.time
    case .rmc(let rmc): rmc.time
    case .gll(let gll): gll.time
    case .gns(let gns): gns.time
    case .gst(let gst): gst.time
    case .gbs(let gbs): gbs.time
    case .pubxPosition(let pubx): pubx.time
    case .gsa, .gsv, .vtg, .zda, .hdt, .dtm, .txt, .pubxTime, .positionError: nil
    }
  }
}

extension Sentence {
  /// The valid position; nil without one.
  var fix: Coordinate? {
    switch self {
    case .gga(let gga): gga.fix
    case .rmc(let rmc): rmc.hasFix ? rmc.coordinate : nil
    case .gll(let gll): gll.hasFix ? gll.coordinate : nil
    case .gns(let gns): gns.hasFix ? gns.coordinate : nil
    case .pubxPosition(let pubx): pubx.hasFix ? pubx.coordinate : nil
    case .gsa, .gsv, .gst, .gbs, .vtg, .zda, .hdt, .dtm, .txt, .pubxTime, .positionError: nil
    }
  }

  /// The date and the time of the receiver's clock, in sentences that have no time of a measurement.
  var clock: (UTCDate?, TimeOfDay?) {
    switch self {
    case .zda(let zda): (zda.date, zda.time)
    case .pubxTime(let pubx): (pubx.date, pubx.time)
    default: (nil, nil)
    }
  }
}

/// The talker and the type of a supported sentence.
struct Address {
  var talker: Talker
  var type: SentenceType
  var length = 5

  @inline(__always)
  init?(_ bytes: Span<UInt8>, _ sentence: MarkedSentence) {
    let head = sentence.head
    // `PQGSV` is a standard sentence although it begins with `P`, so standard sentences are checked first.
    if UInt8(truncatingIfNeeded: head >> 40) == 0x2C, sentence.end &- sentence.start > 5,
      let type = SentenceType(code: UInt32(truncatingIfNeeded: head >> 16) & 0xFF_FFFF)
    {
      self.init(talker: Talker(code: UInt16(truncatingIfNeeded: head)), type: type)
      return
    }
    guard head & 0xFF == 0x50 else { return nil }
    self.init(proprietary: bytes, sentence.start..<sentence.end)
  }

  @inline(__always)
  private init(talker: Talker, type: SentenceType) {
    self.talker = talker
    self.type = type
  }

  @inline(never)
  private init?(proprietary bytes: Span<UInt8>, _ content: Range<Int>) {
    talker = .proprietary
    let word = word(bytes, at: content.lowerBound)
    switch word {
    case 0x2C30_302C_5842_5550 where content.count > 7:  // PUBX,00,
      type = .pubxPosition
      length = 4
    case 0x2C34_302C_5842_5550 where content.count > 7:  // PUBX,04,
      type = .pubxTime
      length = 4
    case 0x2C45_5045_4D54_5150 where content.count > 7:  // PQTMEPE,
      type = .positionError
      length = 7
    case _ where word & 0xFFFF_FFFF_FFFF == 0x2C45_4D52_4750 && content.count > 7:  // PGRME,
      type = .positionError
    default: return nil
    }
  }
}
