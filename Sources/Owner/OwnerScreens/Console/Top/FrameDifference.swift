/// The control sequences of a VT100 terminal that `onefix top` uses. (ECMA-48 §8.3; VT100 User Guide, chapter 3)
package enum ScreenControl {
  /// The sequence that selects the alternate screen (xterm), switches line wrap off and hides the cursor.
  package static let begin = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l".utf8)

  /// The sequence that moves the cursor to the last row and column, and requests the position of the cursor. This
  /// position is equal to the size of the screen.
  package static let requestSize = Array("\u{1B}[999;999H\u{1B}[6n".utf8)

  /// Returns the sequence that restores the screen and its settings. On a terminal without an alternate screen, the
  /// cursor moves below the frame.
  package static func end(_ size: ScreenSize, _ kind: TerminalKind) -> [UInt8] {
    let plain = kind.hasAttributes ? "\u{1B}[0m" : ""
    return Array("\(plain)\u{1B}[\(size.rows);1H\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\r\n".utf8)
  }
}

extension Frame {
  /// The minimum length of a cursor movement in bytes. If fewer unchanged cells than this number lie between two
  /// changes, the unchanged cells are sent again, because a cursor movement would need more bytes.
  private static let shortestMove = 5

  /// Returns the bytes that change the terminal from the frame `former` to this frame. If `former` is nil or has a
  /// different size, the result clears the screen and contains the complete frame.
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
  /// Returns the control sequence (SGR) that switches to this style from any other style.
  fileprivate func bytes(_ kind: TerminalKind) -> [UInt8] {
    let colour = kind.hasColours ? colour.map { ";\($0.rawValue)" } ?? "" : ""
    return Array("\u{1B}[0\(isBold ? ";1" : "")\(isReversed ? ";7" : "")\(colour)m".utf8)
  }
}
