import Base

/// The line of text that a user edits, with the position of the cursor.
struct EditedLine: Hashable, Sendable {
  /// The maximum length of the line, in bytes of UTF-8.
  static let capacity = 512

  private(set) var cells: [Cell] = []
  /// The index of the character after the cursor, from 0 to `cells.count`.
  private(set) var cursor = 0
  private var size = 0

  init() {}

  init(_ text: String) {
    for scalar in text.unicodeScalars where scalar.isPlain { _ = insert(scalar) }
  }

  var text: String { cells.text }
  var textBeforeCursor: String { cells[..<cursor].text }
  var isEmpty: Bool { cells.isEmpty }

  /// Inserts a character before the cursor. Returns whether the line or the cursor has changed.
  mutating func insert(_ scalar: Unicode.Scalar) -> Bool {
    let bytes = String(scalar).utf8.count
    guard size + bytes <= Self.capacity else { return false }
    if let cell = Cell(scalar) {
      cells.insert(cell, at: cursor)
      cursor += 1
    } else {
      guard cursor > 0, cells[cursor - 1].add(mark: scalar) else { return false }
    }
    size += bytes
    return true
  }

  mutating func move(to position: Int) -> Bool {
    guard (0...cells.count).contains(position), position != cursor else { return false }
    cursor = position
    return true
  }

  mutating func deleteBefore() -> Bool { remove(max(0, cursor - 1)..<cursor) }
  mutating func deleteUnder() -> Bool { remove(cursor..<min(cells.count, cursor + 1)) }
  mutating func killToEnd() -> Bool { remove(cursor..<cells.count) }
  mutating func killToStart() -> Bool { remove(0..<cursor) }

  mutating func killWord() -> Bool {
    var start = cursor
    while start > 0, cells[start - 1].isSpace { start -= 1 }
    while start > 0, !cells[start - 1].isSpace { start -= 1 }
    return remove(start..<cursor)
  }

  private mutating func remove(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return false }
    size -= cells[range].reduce(0) { $0 + $1.text.utf8.count }
    cells.removeSubrange(range)
    cursor = range.lowerBound
    return true
  }
}
