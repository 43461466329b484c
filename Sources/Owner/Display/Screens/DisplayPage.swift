import Base

/// The lines of text that the display shows at one time. A long text has several pages.
package struct DisplayPage: Hashable, Sendable {
  /// The count of text columns on the display. A column is 8 pixels wide; a wide character, such as a Chinese
  /// character, takes two columns.
  package static let columns = Picture.width / 8

  package var lines: [String]
  /// The index of this page in the text, from 0.
  package var number = 0
  /// The count of pages of the whole text.
  package var count = 1

  /// Divides a text into pages.
  /// - Parameters:
  ///   - paragraphs: The text. Each paragraph begins a new line.
  ///   - rows: The count of lines on a page.
  ///   - glyph: Returns the bitmap of a character; nil if the font has no such character.
  static func pages(of paragraphs: [String], rows: Int, _ glyph: (Unicode.Scalar) -> Glyph?) -> [DisplayPage] {
    let lines = paragraphs.flatMap { text in
      Columns.wrapped(text, to: columns) { character in
        character.unicodeScalars.reduce(0) { $0 + width(of: $1, Self.glyph(of: $1, glyph)) }
      }
    }
    let count = (lines.count + rows - 1) / rows
    return (0..<count).map {
      DisplayPage(lines: Array(lines[$0 * rows..<min(lines.count, ($0 + 1) * rows)]), number: $0, count: count)
    }
  }

  /// Returns the bitmap that the display draws for a character; nil if the character is invisible.
  private static func glyph(of scalar: Unicode.Scalar, _ glyph: (Unicode.Scalar) -> Glyph?) -> Glyph? {
    // The font draws the name of an invisible character, such as a variation selector.
    if scalar.properties.isDefaultIgnorableCodePoint { return nil }
    let width = Columns.width(of: scalar)
    if width > 0 { return glyph(scalar) ?? Glyph.missing(isWide: width == 2) }
    // The vowels and final consonants of decomposed Hangul syllables are letters without a width.
    let isMark = [.nonspacingMark, .otherLetter].contains(scalar.properties.generalCategory)
    return isMark ? glyph(scalar) : nil
  }

  /// Returns the width of a character in columns. The letters of many scripts, for example Devanagari, have one column
  /// on a terminal, but a bitmap of 16 pixels.
  private static func width(of scalar: Unicode.Scalar, _ glyph: Glyph?) -> Int {
    let width = Columns.width(of: scalar)
    return width == 0 ? 0 : max(width, (glyph?.width ?? 0) / 8)
  }

  /// Draws the page. If the text has several pages, a bar at the right edge shows the position of this page.
  /// - Parameters:
  ///   - height: The height of the picture, in pixels.
  ///   - glyph: Returns the bitmap of a character; nil if the font has no such character.
  package func picture(height: Int, _ glyph: (Unicode.Scalar) -> Glyph?) -> Picture {
    var picture = Picture(height: height)
    for (row, line) in lines.enumerated() {
      // The column of the next character, and the columns of the character before it.
      var (column, base) = (0, 0..<1)
      for scalar in line.unicodeScalars {
        let found = Self.glyph(of: scalar, glyph)
        let width = Self.width(of: scalar, found)
        if width > 0 { base = column..<column + width }
        // A mark stands over the middle of the character before it.
        let margin = found.map { max(0, base.count * 8 - $0.width) / 2 } ?? 0
        let left = base.lowerBound * 8 + (width == 0 ? margin : 0)
        if let found { picture.draw(found, x: left, y: row * Glyph.height) }
        column += width
      }
    }
    guard count > 1 else { return picture }
    for y in number * height / count..<(number + 1) * height / count { picture[Picture.width - 1, y] = true }
    return picture
  }
}
