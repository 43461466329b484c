/// What of a line a terminal shows, and how that is changed with the fewest bytes.
///
/// The terminal may be a dumb one: it is told text, CR, LF, BS and BEL, and nothing else. Its last column stays empty, so
/// that none wraps. A line that is too long scrolls sideways.
struct LineDisplay: Hashable, Sendable {
  static let bell: UInt8 = 0x07
  private static let backspace: UInt8 = 0x08
  private static let carriageReturn: UInt8 = 0x0D
  private static let space: UInt8 = 0x20

  private let prompt: [Cell]
  /// Columns for the line behind the prompt.
  private let room: Int
  /// Of the line, the first cell that is seen.
  private var first = 0
  /// What stands behind the prompt.
  private var shown: [Cell] = []
  /// The terminal's cursor, columns behind the prompt.
  private var column = 0

  /// - Parameter columns: of the terminal, 20 at least.
  init(prompt: String, columns: Int) {
    let columns = max(20, columns)
    // A prompt leaves half of the line to what is written.
    var cells = Cell.cells(of: prompt)
    while cells.columns > columns / 2 { cells.removeLast() }
    self.prompt = cells
    room = columns - 1 - cells.columns
  }

  /// Draws prompt and line where the cursor stands at the beginning of an empty one.
  mutating func draw(_ line: EditedLine, into output: inout [UInt8]) {
    (shown, column) = ([], 0)
    output += Array(prompt.text.utf8)
    update(line, into: &output)
  }

  /// Shows the line as it is now.
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

  /// Takes prompt and line away; the cursor stands at the beginning of the empty line.
  mutating func erase(into output: inout [UInt8]) {
    output.append(Self.carriageReturn)
    output += [UInt8](repeating: Self.space, count: prompt.columns + shown.columns)
    output.append(Self.carriageReturn)
    (shown, column) = ([], 0)
  }

  /// Leaves the line as it is and goes to the next one.
  /// - Parameter mark: ASCII that is written behind it, where there is room.
  mutating func leave(_ mark: String = "", into output: inout [UInt8]) {
    move(to: shown.columns, into: &output)
    if column + mark.utf8.count <= room { output += Array(mark.utf8) }
    output += Array("\r\n".utf8)
    (shown, column, first) = ([], 0, 0)
  }

  /// Where the cursor would be out of sight, half of the room is between it and the edge: so it scrolls seldom.
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

  /// - Parameter target: the beginning of a cell that is shown, or the end.
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

  /// The text between two columns: to go to the right it is written again.
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
