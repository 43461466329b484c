import Base
import Testing

/// A terminal that supports only text, CR, LF, BS and BEL. Any other byte, and a character in the last column, is an
/// error.
struct DumbTerminal {
  private struct Cell: Equatable {
    /// Empty for the second half of a wide character.
    var text = " "
    var columns = 1
  }

  let columns: Int
  /// The lines above the cursor, without trailing spaces.
  private(set) var above: [String] = []
  private(set) var cursor = 0
  private(set) var bells = 0
  private(set) var faults: [String] = []
  private var cells: [Cell]

  init(columns: Int = 80) {
    self.columns = columns
    cells = Array(repeating: Cell(), count: columns)
  }

  /// The line with the cursor, without trailing spaces.
  var line: String {
    var text = cells.map(\.text).joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  mutating func show(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return faults.append("no UTF-8: \(bytes)") }
    for scalar in text.unicodeScalars { show(scalar) }
  }

  private mutating func show(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x07: bells += 1
    case 0x08:
      if cursor == 0 { faults.append("BS at the beginning") }
      cursor = max(0, cursor - 1)
    case 0x0A:
      above.append(line)
      cells = Array(repeating: Cell(), count: columns)
    case 0x0D: cursor = 0
    case 0x20..<0x7F, 0xA0...: print(scalar)
    default: faults.append("a control character: \(scalar.value)")
    }
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    let width = Columns.width(of: String(scalar))
    if width == 0 {
      var base = cursor - 1
      if base >= 0, cells[base].text.isEmpty { base -= 1 }
      guard base >= 0 else { return faults.append("a mark on nothing") }
      cells[base].text.unicodeScalars.append(scalar)
      return
    }
    guard cursor + width < columns else { return faults.append("a character in the last column") }
    for column in cursor..<cursor + width { blank(column) }
    cells[cursor] = Cell(text: String(scalar), columns: width)
    if width == 2 { cells[cursor + 1] = Cell(text: "", columns: 0) }
    cursor += width
  }

  /// Writing over half of a wide character clears the other half.
  private mutating func blank(_ column: Int) {
    if cells[column].columns == 0 { cells[column - 1] = Cell() }
    if cells[column].columns == 2 { cells[column + 1] = Cell() }
    cells[column] = Cell()
  }
}
