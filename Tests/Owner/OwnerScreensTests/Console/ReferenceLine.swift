import Base

/// A minimal model of a line editor, as the expected result.
struct ReferenceLine {
  /// The characters, each with its combining marks.
  var cells: [String] = []
  var cursor = 0
  var history: [String] = []
  /// The index into the history; the number of entries for the new line.
  var looking = 0
  var draft = ""

  var text: String { cells.joined() }

  static func columns(_ cells: some Collection<String>) -> Int {
    // Each cell separately, because adjacent cells could combine to one character.
    cells.reduce(0) { $0 + max(0, $1.unicodeScalars.map { Columns.width(of: String($0)) }.reduce(0, +)) }
  }

  mutating func type(_ scalar: Unicode.Scalar) {
    guard text.utf8.count + String(scalar).utf8.count <= 512 else { return }
    if Columns.width(of: String(scalar)) > 0 {
      cells.insert(String(scalar), at: cursor)
      cursor += 1
    } else if cursor > 0, cells[cursor - 1].unicodeScalars.count < 5 {
      cells[cursor - 1].unicodeScalars.append(scalar)
    }
  }

  mutating func backspace() {
    guard cursor > 0 else { return }
    cursor -= 1
    cells.remove(at: cursor)
  }

  mutating func delete() { if cursor < cells.count { cells.remove(at: cursor) } }

  mutating func killWord() {
    while cursor > 0, cells[cursor - 1] == " " { backspace() }
    while cursor > 0, cells[cursor - 1] != " " { backspace() }
  }

  mutating func enter() -> String {
    let entered = text
    if !entered.allSatisfy({ $0 == " " }), history.last != entered { history = (history + [entered]).suffix(50) }
    abandon()
    return entered
  }

  mutating func abandon() {
    cells = []
    cursor = 0
    looking = history.count
  }

  mutating func look(_ step: Int) {
    let next = looking + step
    guard (0...history.count).contains(next), next != looking else { return }
    if looking == history.count { draft = text }
    looking = next
    let recalled = next == history.count ? draft : history[next]
    cells = []
    cursor = 0
    for scalar in recalled.unicodeScalars { type(scalar) }
  }
}
