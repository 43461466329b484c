package import LineProtocol
package import NMEA

/// Sentences, frames and errors as objects, one a line. Keys are the standard's names of the fields, those of the line
/// protocol where it has them too; units are the sentence's own and stand in the key where they are not SI.
extension TextBuffer {
  package mutating func appendLine(_ sentence: Sentence, from talker: Talker) {
    beginObject()
    add("talker", talker.description)
    add("type", sentence.type.description)
    switch sentence {
    case .gga(let gga): add(gga)
    case .rmc(let rmc): add(rmc)
    case .gsa(let gsa): add(gsa)
    case .gsv(let gsv): add(gsv)
    case .gst(let gst): add(gst)
    case .vtg(let vtg): add(vtg)
    case .gll(let gll): add(gll)
    case .gns(let gns): add(gns)
    case .zda(let zda): add(zda)
    case .hdt(let hdt): add("heading", hdt.heading)
    case .dtm(let dtm): add(dtm)
    case .txt(let txt): add(txt)
    case .gbs(let gbs): add(gbs)
    case .pubxPosition(let pubx): add(pubx)
    case .pubxTime(let pubx): add(pubx)
    case .acknowledgement(let acknowledgement): add(acknowledgement)
    }
    endLine()
  }

  package mutating func appendLine(_ error: NMEAError) {
    beginObject()
    add("error", error.cause.name)
    switch error {
    case .fieldCount(let type, let count):
      add("type", type.description)
      add("fields", count)
    case .invalidField(let type, let field):
      add("type", type.description)
      add("field", field)
    case .malformedAddress, .missingChecksum, .checksumMismatch, .framing: break
    }
    add("message", error.description)
    endLine()
  }

  package mutating func appendUBXLine(class frameClass: UInt8, id: UInt8, length: Int) {
    beginObject()
    add("type", "UBX")
    add("class", Int(frameClass))
    add("id", Int(id))
    add("length", length)
    endLine()
  }

  /// A message's number is in its first 12 bits. (RTCM 10403.3, table 3.5-1)
  package mutating func appendRTCM3Line(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    beginObject()
    add("type", "RTCM3")
    if payload.count >= 2 {
      add("message", Int(bytes[payload.lowerBound]) << 4 | Int(bytes[payload.lowerBound + 1]) >> 4)
    }
    add("length", payload.count)
    endLine()
  }

  private mutating func endLine() {
    endObject()
    append(ascii: "\n")
  }
}

extension Sentence {
  var type: SentenceType {
    switch self {
    case .gga: .gga
    case .rmc: .rmc
    case .gsa: .gsa
    case .gsv: .gsv
    case .gst: .gst
    case .vtg: .vtg
    case .gll: .gll
    case .gns: .gns
    case .zda: .zda
    case .hdt: .hdt
    case .dtm: .dtm
    case .txt: .txt
    case .gbs: .gbs
    case .pubxPosition: .pubxPosition
    case .pubxTime: .pubxTime
    case .acknowledgement: .acknowledgement
    }
  }
}
