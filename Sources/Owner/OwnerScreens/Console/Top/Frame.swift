package struct ScreenSize: Hashable, Sendable {
  package let rows: Int
  package let columns: Int

  /// Creates a size. Values outside 1 to 300 rows and 1 to 500 columns are changed to the nearest limit, because a
  /// terminal can report any number.
  package init(rows: Int, columns: Int) {
    self.rows = max(1, min(rows, 300))
    self.columns = max(1, min(columns, 500))
  }

  /// The default size, for a terminal that does not report a size.
  package static let usual = ScreenSize(rows: 24, columns: 80)
}

/// The colour and the other attributes of a character on the screen.
struct Style: Hashable, Sendable {
  enum Colour: Int, Hashable, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case magenta = 35
    case cyan = 36
  }

  var isBold = false
  var isReversed = false
  var colour: Colour?

  static let plain = Style()
  static let bold = Style(isBold: true)
  static let reversed = Style(isReversed: true)
}

/// The contents of the screen: one cell for each row and column.
package struct Frame: Hashable, Sendable {
  struct ScreenCell: Hashable, Sendable {
    /// The character; an empty string in the second column of a wide character.
    var text = " "
    var columns = 1
    var style = Style.plain
  }

  package let size: ScreenSize
  private let isASCII: Bool
  private(set) var cells: [ScreenCell]

  init(size: ScreenSize, isASCII: Bool) {
    self.size = size
    self.isASCII = isASCII
    cells = Array(repeating: ScreenCell(), count: size.rows * size.columns)
  }

  func cell(_ row: Int, _ column: Int) -> ScreenCell { cells[row * size.columns + column] }

  /// Writes a text into a row. A text that is too long is cut, and ends with `…`. Control characters, and text
  /// outside the frame, are ignored.
  /// - Parameters:
  ///   - text: The text.
  ///   - row: The row, from 0.
  ///   - column: The column of the first character, from 0.
  ///   - end: The column after the available space; nil for the end of the row.
  ///   - style: The colour and the other attributes.
  /// - Returns: The column after the text.
  @discardableResult
  mutating func put(_ text: String, row: Int, column: Int, to end: Int? = nil, style: Style = .plain) -> Int {
    let end = min(end ?? size.columns, size.columns)
    guard (0..<size.rows).contains(row), column >= 0, column < end else { return column }
    // The frame contains no variation selectors, because terminals do not agree on the width of an emoji.
    let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { !(0xFE00...0xFE0F).contains($0.value) }))
    var cells = Cell.cells(of: plain)[...]
    let isCut = cells.columns > end - column
    if isCut { while cells.columns > end - column - 1 { cells.removeLast() } }
    var next = column
    for cell in cells { next = put(cell.text, cell.columns, row, next, style) }
    if isCut { next = put("…", 1, row, next, style) }
    return next
  }

  private mutating func put(_ text: String, _ columns: Int, _ row: Int, _ column: Int, _ style: Style) -> Int {
    let text = isASCII ? ASCIIText.text(for: text, columns: columns) : text
    // The ASCII replacement of a wide character is two narrow characters.
    guard columns == 2, text.utf8.count == 2, isASCII else {
      set(ScreenCell(text: text, columns: columns, style: style), row, column)
      return column + columns
    }
    for (offset, character) in text.enumerated() {
      set(ScreenCell(text: String(character), style: style), row, column + offset)
    }
    return column + columns
  }

  /// Writes one character into the frame. If the character overwrites half of a wide character, a space replaces the
  /// other half.
  private mutating func set(_ cell: ScreenCell, _ row: Int, _ column: Int) {
    let start = row * size.columns
    for taken in column..<column + cell.columns {
      if cells[start + taken].columns == 0 { cells[start + taken - 1] = ScreenCell() }
      if cells[start + taken].columns == 2 { cells[start + taken + 1] = ScreenCell() }
      cells[start + taken] = ScreenCell()
    }
    cells[start + column] = cell
    if cell.columns == 2 { cells[start + column + 1] = ScreenCell(text: "", columns: 0, style: cell.style) }
  }

  mutating func clear(row: Int, style: Style = .plain) {
    guard (0..<size.rows).contains(row) else { return }
    for column in 0..<size.columns { cells[row * size.columns + column] = ScreenCell(style: style) }
  }
}
