/// The control sequences with which `onefix top` switches the terminal to full-screen mode and back (ECMA-48 §8.3;
/// VT100 User Guide, chapter 3).
package enum ScreenControl {
  /// The control sequence that selects the alternate screen (xterm), switches line wrap off, and hides the cursor.
  package static let begin = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l".utf8)

  /// The control sequence that moves the cursor to the last row and column, and asks the terminal for the position of
  /// the cursor. The answer is the size of the screen.
  package static let requestSize = Array("\u{1B}[999;999H\u{1B}[6n".utf8)

  /// Returns the sequence that restores the former screen and its settings. Without an alternate screen, the cursor
  /// moves below the frame.
  package static func end(_ size: ScreenSize, _ kind: TerminalKind) -> [UInt8] {
    let plain = kind.hasAttributes ? "\u{1B}[0m" : ""
    return Array("\(plain)\u{1B}[\(size.rows);1H\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\r\n".utf8)
  }
}

extension Frame {
  /// The length of the shortest control sequence that moves the cursor, in bytes. Fewer unchanged cells are sent again,
  /// because a cursor movement would take more bytes.
  private static let shortestMove = 5

  /// Returns the bytes that change the terminal from the frame `former` to this frame. If `former` is nil or has
  /// another size, the bytes clear the screen and draw the whole frame.
  package func bytes(after former: Frame?, _ kind: TerminalKind) -> [UInt8] {
    var output: [UInt8] = []
    var style = Style.plain
    let known = former.flatMap { $0.size == size ? $0 : nil }
    if known == nil { output += Array(((kind.hasAttributes ? "\u{1B}[0m" : "") + "\u{1B}[2J").utf8) }
    let former = known ?? Frame(size: size, isASCII: kind.isASCII)
    for row in 0..<size.rows {
      for run in runs(of: row, changedSince: former) {
        output += Array("\u{1B}[\(row + 1);\(run.lowerBound + 1)H".utf8)
        for column in run {
          let cell = cell(row, column)
          if cell.columns == 0 { continue }
          if cell.style != style, kind.hasAttributes { output += cell.style.bytes(kind) }
          style = cell.style
          output += Array(cell.text.utf8)
        }
      }
    }
    if style != .plain, kind.hasAttributes { output += Style.plain.bytes(kind) }
    return output
  }

  private func runs(of row: Int, changedSince former: Frame) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for column in 0..<size.columns where cell(row, column) != former.cell(row, column) {
      let start = cell(row, column).columns == 0 ? column - 1 : column
      let end = column + max(1, cell(row, column).columns)
      if let last = runs.last, start - last.upperBound < Self.shortestMove {
        runs[runs.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        runs.append(start..<end)
      }
    }
    return runs
  }
}

extension Style {
  /// Returns the control sequence (SGR) that selects this style.
  fileprivate func bytes(_ kind: TerminalKind) -> [UInt8] {
    let colour = kind.hasColours ? colour.map { ";\($0.rawValue)" } ?? "" : ""
    return Array("\u{1B}[0\(isBold ? ";1" : "")\(isReversed ? ";7" : "")\(colour)m".utf8)
  }
}
