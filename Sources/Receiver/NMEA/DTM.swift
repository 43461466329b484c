/// The datum of the receiver's positions, and the offset of this datum from the reference datum. (NMEA 0183 v4.11 DTM)
public struct DTM: Hashable, Sendable {
  /// The code of the datum: `W84` for WGS 84, `P90` for PZ-90, `W72` for WGS 72, `S85` for SGS 85, `999` for a user's
  /// own datum, or a code of the IHO. (field 1)
  public var datum: ShortText
  /// The datum's subdivision code; empty if there is no code. (field 2)
  public var subdivision: ShortText
  /// The offset of the latitude in minutes of arc, north positive. (fields 3 and 4)
  public var latitudeOffset: Double?
  /// The offset of the longitude in minutes of arc, east positive. (fields 5 and 6)
  public var longitudeOffset: Double?
  /// The offset of the altitude in metres. (field 7)
  public var altitudeOffset: Double?
  /// The reference datum of the offsets, for example `W84`. (field 8)
  public var reference: ShortText

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    guard let datum = fields.shortText(in: bytes) else { throw fields.invalid(in: bytes) }
    self.datum = datum
    subdivision = fields.shortText(in: bytes) ?? ShortText(word: 0)
    latitudeOffset = fields.offset(positive: 0x4E, negative: 0x53, in: bytes)
    longitudeOffset = fields.offset(positive: 0x45, negative: 0x57, in: bytes)
    altitudeOffset = fields.decimal(in: bytes)
    reference = fields.shortText(in: bytes) ?? ShortText(word: 0)
    fields.noteRest(in: bytes)
  }

  /// The maximum distance in metres between a coordinate on this datum and on WGS 84, with a probability of 68 %. Nil
  /// for WGS 84. The offsets are not used, because receivers write zeros for unknown offsets.
  var uncertainty: Double? {
    switch datum.description {
    case "W84", "": nil
    // WGS 72, SGS 85 and PZ-90 also have their origin at the centre of the earth. They differ from WGS 84 by at most 20
    // m.
    case "W72", "S85", "P90": 20
    // National and user-defined datums have their origin up to about 1 km from the origin of WGS 84. (NIMA TR8350.2,
    // appendix B)
    default: 1000
    }
  }
}

extension Fields {
  fileprivate mutating func shortText(in bytes: Span<UInt8>) -> ShortText? {
    let field = next(in: bytes)
    guard field.length <= 8 else { return note(in: bytes) }
    return ShortText(word: field.word)
  }

  fileprivate mutating func offset(positive: UInt8, negative: UInt8, in bytes: Span<UInt8>) -> Double? {
    let value = decimal(in: bytes)
    let side = next(in: bytes)
    let letter = UInt8(truncatingIfNeeded: side.word)
    guard side.length <= 1, letter == positive || letter == negative || letter == 0 else { return note(in: bytes) }
    guard let value, letter != 0 else { return nil }
    return letter == positive ? value : 0 - value
  }
}
