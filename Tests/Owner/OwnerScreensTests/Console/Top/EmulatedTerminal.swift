import OwnerScreens

/// A terminal with the used functions of a VT100. It reports any other sequence as an error.
struct EmulatedTerminal {
  let size: ScreenSize
  private var cells: [TerminalRow]
  private var row = 0
  private var column = 0
  private(set) var faults: [String] = []
  /// The attributes set by SGR, and the number of changes.
  private(set) var attributes = 0

  init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: TerminalRow(columns: size.columns), count: size.rows)
  }

  /// The text of the rows, without trailing spaces.
  var lines: [String] { cells.map(\.text) }

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
      cells = Array(repeating: TerminalRow(columns: size.columns), count: size.rows)
    case "m": attributes += 1
    case let final: faults.append("\(parameters)\(final.map { "\($0)" } ?? "")")
    }
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    if scalar.value < 0x20 || scalar.value == 0x7F || (0x80..<0xA0).contains(scalar.value) {
      return faults.append("a control character: \(scalar.value)")
    }
    guard let width = cells[row].print(scalar, at: column) else {
      return faults.append("a mark on nothing, or a character beyond the last column: \(scalar.value)")
    }
    column += width
  }
}
