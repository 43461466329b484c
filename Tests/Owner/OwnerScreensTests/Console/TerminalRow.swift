import Base

/// A row of a terminal. A wide character leaves the cell after it empty.
struct TerminalRow {
  private var cells: [String]

  init(columns: Int) { cells = Array(repeating: " ", count: columns) }

  /// The text, without trailing spaces.
  var text: String {
    var text = cells.joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Prints a character, or adds a combining mark to the character before the column. Returns the width in columns; nil
  /// if there is no room, or no character before the mark.
  mutating func print(_ scalar: Unicode.Scalar, at column: Int) -> Int? {
    let width = Columns.width(of: String(scalar))
    guard width > 0 else {
      var base = column - 1
      if base >= 0, cells[base].isEmpty { base -= 1 }
      guard base >= 0 else { return nil }
      cells[base].unicodeScalars.append(scalar)
      return 0
    }
    guard column + width <= cells.count else { return nil }
    // Writing over half of a wide character clears the other half.
    for taken in column..<column + width {
      if cells[taken].isEmpty { cells[taken - 1] = " " }
      if taken + 1 < cells.count, cells[taken + 1].isEmpty { cells[taken + 1] = " " }
      cells[taken] = " "
    }
    cells[column] = String(scalar)
    if width == 2 { cells[column + 1] = "" }
    return width
  }
}
