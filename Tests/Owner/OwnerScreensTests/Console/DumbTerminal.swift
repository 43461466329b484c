/// A terminal that supports only text, CR, LF, BS and BEL. Any other byte, and a character in the last column, is an
/// error.
struct DumbTerminal {
  let columns: Int
  /// The lines above the cursor, without trailing spaces.
  private(set) var above: [String] = []
  private(set) var cursor = 0
  private(set) var bells = 0
  private(set) var faults: [String] = []
  private var row: TerminalRow

  init(columns: Int = 80) {
    self.columns = columns
    row = TerminalRow(columns: columns)
  }

  /// The line with the cursor, without trailing spaces.
  var line: String { row.text }

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
      row = TerminalRow(columns: columns)
    case 0x0D: cursor = 0
    case 0x20..<0x7F, 0xA0...:
      guard let width = row.print(scalar, at: cursor), cursor + width < columns else {
        return faults.append("a mark on nothing, or a character in the last column: \(scalar.value)")
      }
      cursor += width
    default: faults.append("a control character: \(scalar.value)")
    }
  }
}
