/// The part of the edited line that the terminal shows. Each update sends as few bytes as possible.
///
/// Only text, CR, LF, BS and BEL are sent, so every terminal can show the line. The last column of the terminal stays
/// empty, so that no line wraps. A long line scrolls horizontally.
struct LineDisplay: Hashable, Sendable {
  static let bell: UInt8 = 0x07
  private static let backspace: UInt8 = 0x08
  private static let carriageReturn: UInt8 = 0x0D
  private static let space: UInt8 = 0x20

  private let prompt: [Cell]
  /// The width for the edited line in columns, without the fixed text (`prompt`) before it.
  private let room: Int
  private var first = 0
  private var shown: [Cell] = []
  /// The position of the terminal cursor, in columns after the fixed text (`prompt`) of the line.
  private var column = 0

  init(prompt: String, columns: Int) {
    let columns = max(20, columns)
    var cells = Cell.cells(of: prompt)
    while cells.columns > columns / 2 { cells.removeLast() }
    self.prompt = cells
    room = columns - 1 - cells.columns
  }

  /// Draws the fixed text (`prompt`) and the edited line. The terminal cursor must be at the beginning of an empty row.
  mutating func draw(_ line: EditedLine, into output: inout [UInt8]) {
    (shown, column) = ([], 0)
    output += Array(prompt.text.utf8)
    update(line, into: &output)
  }

  mutating func update(_ line: EditedLine, into output: inout [UInt8]) {
    scroll(line)
    let wanted = visible(line)
    let cursor = line.cells[first..<line.cursor].columns
    var same = 0
    while same < min(shown.count, wanted.count), shown[same] == wanted[same] { same += 1 }
    if same < max(shown.count, wanted.count) {
      move(to: shown[..<same].columns, into: &output)
      output += Array(wanted[same...].text.utf8)
      let surplus = max(0, shown.columns - wanted.columns)
      output += [UInt8](repeating: Self.space, count: surplus)
      column = wanted.columns + surplus
      shown = wanted
    }
    move(to: cursor, into: &output)
  }

  mutating func erase(into output: inout [UInt8]) {
    output.append(Self.carriageReturn)
    output += [UInt8](repeating: Self.space, count: prompt.columns + shown.columns)
    output.append(Self.carriageReturn)
    (shown, column) = ([], 0)
  }

  /// Moves the terminal cursor to the next row. The edited line stays on the screen.
  /// - Parameter mark: An ASCII text to write after the line, if the row has space for it, as in `^C`.
  mutating func leave(_ mark: String = "", into output: inout [UInt8]) {
    move(to: shown.columns, into: &output)
    if column + mark.utf8.count <= room { output += Array(mark.utf8) }
    output += Array("\r\n".utf8)
    (shown, column, first) = ([], 0, 0)
  }

  /// Scrolls the line horizontally if the cursor would be outside the screen. The cursor is then near the middle, so
  /// that the line scrolls rarely.
  private mutating func scroll(_ line: EditedLine) {
    if line.cells.columns <= room { first = 0 }
    first = min(first, line.cells.count)
    guard line.cursor < first || line.cells[first..<line.cursor].columns > room else { return }
    first = line.cursor
    var columns = 0
    while first > 0, columns + line.cells[first - 1].columns <= room / 2 {
      first -= 1
      columns += line.cells[first].columns
    }
  }

  private func visible(_ line: EditedLine) -> [Cell] {
    var columns = 0
    return Array(
      line.cells[first...].prefix { cell in
        columns += cell.columns
        return columns <= room
      })
  }

  /// Moves the terminal cursor with as few bytes as possible.
  /// - Parameter target: The first column of a visible character, or the column after the last character.
  private mutating func move(to target: Int, into output: inout [UInt8]) {
    guard target != column else { return }
    if target < column, column - target <= prompt.text.utf8.count + target {
      output += [UInt8](repeating: Self.backspace, count: column - target)
    } else if target < column {
      output.append(Self.carriageReturn)
      output += Array(prompt.text.utf8)
      output += bytes(from: 0, to: target)
    } else {
      output += bytes(from: column, to: target)
    }
    column = target
  }

  /// Returns the visible text between two columns. To move the terminal cursor to the right, this text is written
  /// again.
  private func bytes(from start: Int, to end: Int) -> [UInt8] {
    var columns = 0
    var bytes: [UInt8] = []
    for cell in shown where columns < end {
      if columns >= start { bytes += Array(cell.text.utf8) }
      columns += cell.columns
    }
    return bytes
  }
}
