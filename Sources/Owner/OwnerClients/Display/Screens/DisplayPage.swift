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
  static func pages(of paragraphs: [String], rows: Int) -> [DisplayPage] {
    let lines = paragraphs.flatMap { Columns.wrapped($0, to: columns) }
    let count = (lines.count + rows - 1) / rows
    return (0..<count).map {
      DisplayPage(lines: Array(lines[$0 * rows..<min(lines.count, ($0 + 1) * rows)]), number: $0, count: count)
    }
  }

  /// Draws the page. If the text has several pages, a bar at the right edge shows the position of this page.
  /// - Parameters:
  ///   - height: The height of the picture, in pixels.
  ///   - glyph: Returns the bitmap of a character; nil if the font has no such character.
  package func picture(height: Int, _ glyph: (Unicode.Scalar) -> Glyph?) -> Picture {
    var picture = Picture(height: height)
    for (row, line) in lines.enumerated() {
      var column = 0
      for scalar in line.unicodeScalars {
        let width = Columns.width(of: scalar)
        // A mark stands over the character before it.
        let left = width == 0 ? max(0, column - 1) : column
        if width > 0 || scalar.properties.generalCategory == .nonspacingMark {
          let found = glyph(scalar) ?? (width == 0 ? nil : Glyph.missing(isWide: width == 2))
          if let found { picture.draw(found, x: left * 8, y: row * Glyph.height) }
        }
        column += width
      }
    }
    guard count > 1 else { return picture }
    for y in number * height / count..<(number + 1) * height / count { picture[Picture.width - 1, y] = true }
    return picture
  }
}
