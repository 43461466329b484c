import Base
import OwnerScreens

/// A terminal with the used functions of a VT100. It reports any other sequence as an error.
struct EmulatedTerminal {
  let size: ScreenSize
  private var cells: [[String]]
  private var row = 0
  private var column = 0
  private(set) var faults: [String] = []
  /// The attributes set by SGR, and the number of changes.
  private(set) var attributes = 0

  init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
  }

  /// The text of the rows, without trailing spaces.
  var lines: [String] {
    cells.map { line in
      var text = line.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  mutating func show(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return faults.append("no UTF-8") }
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\u{1B}" { obey(&scalars) } else { print(scalar) }
    }
  }

  private mutating func obey(_ scalars: inout Substring.UnicodeScalarView) {
    guard scalars.popFirst() == "[" else { return faults.append("no control sequence") }
    let parameters = String(scalars.prefix { !("@"..."~").contains($0) })
    scalars = scalars.dropFirst(parameters.unicodeScalars.count)
    let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
    switch scalars.popFirst() {
    case "H" where numbers.count == 2:
      (row, column) = (numbers[0] - 1, numbers[1] - 1)
      if !(0..<size.rows).contains(row) || !(0..<size.columns).contains(column) { faults.append("off the screen") }
    case "J" where numbers == [2]:
      cells = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
    case "m": attributes += 1
    case let final: faults.append("\(parameters)\(final.map { "\($0)" } ?? "")")
    }
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    if scalar.value < 0x20 || scalar.value == 0x7F || (0x80..<0xA0).contains(scalar.value) {
      return faults.append("a control character: \(scalar.value)")
    }
    let width = Columns.width(of: String(scalar))
    guard width > 0 else {
      var base = column - 1
      if base >= 0, cells[row][base].isEmpty { base -= 1 }
      if base < 0 { faults.append("a mark on nothing") } else { cells[row][base].unicodeScalars.append(scalar) }
      return
    }
    guard column + width <= size.columns else { return faults.append("beyond the last column") }
    for taken in column..<column + width {
      if cells[row][taken].isEmpty { cells[row][taken - 1] = " " }
      if taken + 1 < size.columns, cells[row][taken + 1].isEmpty { cells[row][taken + 1] = " " }
      cells[row][taken] = " "
    }
    cells[row][column] = String(scalar)
    if width == 2 { cells[row][column + 1] = "" }
    column += width
  }
}
