import Base

/// A character on a terminal, together with its combining marks such as accents.
package struct Cell: Hashable, Sendable {
  /// The maximum count of combining marks, which limits the size of a character. No written language needs more.
  private static let mostMarks = 4

  package private(set) var text: String
  /// The width on the terminal in columns: 1 or 2.
  package let columns: Int
  private var marks = 0

  /// Creates a character from a Unicode scalar; nil for a combining mark, which belongs to the character before it.
  init?(_ scalar: Unicode.Scalar) {
    columns = Columns.width(of: String(scalar))
    guard columns > 0 else { return nil }
    text = String(scalar)
  }

  /// Adds a combining mark. Returns false if the character already has the maximum count of marks.
  mutating func add(mark scalar: Unicode.Scalar) -> Bool {
    guard marks < Self.mostMarks else { return false }
    marks += 1
    text.unicodeScalars.append(scalar)
    return true
  }

  var isSpace: Bool { text == " " }

  /// Returns the characters of a text. Control characters are left out.
  package static func cells(of text: String) -> [Cell] {
    var cells: [Cell] = []
    for scalar in text.unicodeScalars where scalar.isPlain {
      if let cell = Cell(scalar) {
        cells.append(cell)
      } else if !cells.isEmpty {
        _ = cells[cells.count - 1].add(mark: scalar)
      }
    }
    return cells
  }
}

extension Collection where Element == Cell {
  package var columns: Int { reduce(0) { $0 + $1.columns } }
  var text: String { map(\.text).joined() }
}
