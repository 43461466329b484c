/// The bitmap of one character: 16 rows of 8 or 16 pixels.
package struct Glyph: Hashable, Sendable {
  package static let height = 16

  /// The width in pixels, 8 or 16.
  package let width: Int
  /// The rows from the top. The leftmost pixel is the highest of the `width` low bits.
  package let rows: [UInt16]

  /// Reads the digits of one line of a `.hex` font file. Returns nil unless the text has 32 or 64 hexadecimal digits.
  package init?(hexadecimal digits: some Collection<UInt8>) {
    guard digits.count == 32 || digits.count == 64 else { return nil }
    width = digits.count / 4
    var rows: [UInt16] = []
    var row: UInt16 = 0
    for (index, digit) in digits.enumerated() {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      row = row << 4 | UInt16(value)
      if (index + 1) % (width / 4) == 0 {
        rows.append(row)
        row = 0
      }
    }
    self.rows = rows
  }

  private init(width: Int, rows: [UInt16]) { (self.width, self.rows) = (width, rows) }

  /// An empty rectangle, for a character that the font does not have.
  package static func missing(isWide: Bool) -> Glyph {
    let width = isWide ? 16 : 8
    let left = UInt16(1) << UInt16(width - 2)
    let (edge, sides) = ((left - 1) << 1, left | 2)
    let rows = (0..<height).map { $0 == 2 || $0 == 13 ? edge : (3...12).contains($0) ? sides : 0 }
    return Glyph(width: width, rows: rows)
  }
}

/// The font in a `.hex` file of GNU Unifont. Each line of the file has one character, as in
/// `0041:0000000018242442427E424242420000`, sorted by its code.
///
/// The file has 3.8 MB, so a binary search reads only the necessary parts.
package struct HexFont: Sendable {
  /// The maximum length of a text line of the font file in bytes: six digits, a colon, 64 digits and a line feed.
  static let longestLine = 72

  /// The size of the font file in bytes.
  private let size: Int
  /// A function that returns `count` bytes of the font file from `offset`, or fewer bytes at the end of the file.
  private let read: @Sendable (_ offset: Int, _ count: Int) -> [UInt8]

  package init(size: Int, read: @escaping @Sendable (_ offset: Int, _ count: Int) -> [UInt8]) {
    self.size = size
    self.read = read
  }

  /// Returns the bitmap of a character; nil if the font has no such character.
  package func glyph(of scalar: Unicode.Scalar) -> Glyph? {
    // The line of the character begins in this range of offsets.
    var range = 0..<size
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      // The first line that begins at or after the middle. The byte before a line is a line feed.
      let bytes = read(max(0, middle - 1), 2 * Self.longestLine)
      var start = bytes.startIndex
      if middle > 0 {
        guard let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        start = feed + 1
      }
      let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
      let offset = max(0, middle - 1) + start
      guard offset < range.upperBound, let (found, digits) = Self.parsed(line) else {
        range = range.lowerBound..<middle
        continue
      }
      if found == scalar.value { return Glyph(hexadecimal: digits) }
      range =
        found < scalar.value
        ? offset + line.count + 1..<max(range.upperBound, offset + line.count + 1)
        : range.lowerBound..<middle
    }
    return nil
  }

  private static func parsed(_ line: ArraySlice<UInt8>) -> (number: UInt32, digits: ArraySlice<UInt8>)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), (4...6).contains(colon - line.startIndex) else {
      return nil
    }
    var number: UInt32 = 0
    for digit in line[..<colon] {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(value)
    }
    return (number, line[(colon + 1)...])
  }
}
