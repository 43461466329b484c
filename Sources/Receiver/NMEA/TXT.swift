/// A text message, for example antenna status or firmware version. (NMEA 0183 v4.11 TXT)
public struct TXT: Hashable, Sendable {
  /// The number of sentences of the text. (field 1)
  public var parts: Int?
  /// The position of this sentence in the text, counted from 1. (field 2)
  public var part: Int?
  /// The kind of message. u-blox uses 0 for errors, 1 for warnings, 2 for notices and 7 for user messages. (field 3)
  public var identifier: Int?
  private var characters: InlineArray<96, UInt8>
  private var length: UInt8

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    characters = InlineArray(repeating: 0)
    length = 0
    try fields.requireLeast()
    parts = fields.integer(in: bytes)
    part = fields.integer(in: bytes)
    identifier = fields.integer(in: bytes)
    // The text may contain commas.
    for index in fields.rest {
      guard length < 96 else { break }
      characters[Int(length)] = bytes[index]
      length += 1
    }
  }

  /// The first 96 characters of the text, with the escapes `^hh` of the receiver.
  public var text: String {
    String(decoding: (0..<Int(length)).map { characters[$0] }, as: UTF8.self)
  }

  public static func == (left: TXT, right: TXT) -> Bool {
    left.parts == right.parts && left.part == right.part && left.identifier == right.identifier
      && left.text == right.text
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}
