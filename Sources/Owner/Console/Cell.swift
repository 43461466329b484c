import Languages

/// A place in a line: a character with the marks that stand on it.
package struct Cell: Hashable, Sendable {
  /// More on one character is nothing that anybody writes.
  private static let mostMarks = 4

  package private(set) var text: String
  /// 1 or 2.
  package let columns: Int
  private var marks = 0

  /// Nil for a mark, which stands on another character.
  init?(_ scalar: Unicode.Scalar) {
    columns = Columns.width(of: String(scalar))
    guard columns > 0 else { return nil }
    text = String(scalar)
  }

  /// Whether the mark was put onto it.
  mutating func add(mark scalar: Unicode.Scalar) -> Bool {
    guard marks < Self.mostMarks else { return false }
    marks += 1
    text.unicodeScalars.append(scalar)
    return true
  }

  var isSpace: Bool { text == " " }

  /// The cells of a text; what a terminal would obey is left out.
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
