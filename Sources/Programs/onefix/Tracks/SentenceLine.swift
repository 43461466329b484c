package import LineProtocol
package import NMEA

/// Formats sentences, frames and errors as JSON objects, one in each line. The key of a field is its name in the line
/// protocol, or else its name in the standard. Values keep the unit of the sentence. If this unit is not an SI unit,
/// the key contains the name of the unit.
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
    case .positionError(let error): add(error)
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

  /// Appends a valid sentence of an unsupported type. Its fields are not parsed.
  package mutating func appendOtherLine(_ content: Range<Int>, in bytes: Span<UInt8>) {
    let text = String(decoding: content.map { bytes[$0] }, as: UTF8.self)
    var fields = text.split(separator: ",", omittingEmptySubsequences: false)[...]
    let address = fields.removeFirst()
    // A standard address has five characters and begins with a talker. A proprietary address is `P` and the code of a
    // manufacturer, so its talker in the output is `P`. Any other address has no talker.
    let isStandard = address.utf8.count == 5 && address.first != "P"
    beginObject()
    add("talker", isStandard ? String(address.prefix(2)) : address.first == "P" ? "P" : nil)
    add("type", String(isStandard ? address.dropFirst(2) : address))
    begin("fields")
    append(ascii: "[")
    for (index, field) in fields.enumerated() {
      if index > 0 { append(ascii: ",") }
      appendQuoted(String(field))
    }
    append(ascii: "]")
    endLine()
  }

  package mutating func appendRTCM3Line(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    beginObject()
    add("type", "RTCM3")
    add("message", FrameCounts.message(payload, in: bytes))
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
    case .positionError: .positionError
    }
  }
}
