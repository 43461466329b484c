import Base

/// A table that fits the width of the terminal. A text that is wider than its column wraps, so that two apps whose
/// identifiers differ only at the end stay different. Text is cut only if the terminal has no room for all columns.
struct TextTable {
  private var rows: [[String]]
  /// The count of columns at the left whose texts do not wrap.
  private let fixed: Int

  init(_ headings: [String], fixed: Int = 0) {
    rows = [headings]
    self.fixed = fixed
  }

  mutating func add(_ cells: [String]) { rows.append(cells) }

  func lines(columns: Int) -> [String] {
    let widths = widths(in: columns)
    return rows.flatMap { row in
      // In the first column an indent shows that a line continues the one above.
      let cells = zip(row, widths).enumerated().map { Columns.wrapped($1.0, to: $1.1, indent: $0 == 0 ? 1 : 0) }
      return (0..<(cells.map(\.count).max() ?? 0)).map { index in
        var line = zip(cells, widths).map { Columns.padded(index < $0.count ? $0[index] : "", to: $1) }
          .joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return Columns.clipped(line, to: columns)
      }
    }
  }

  /// Returns the width of each column. If the table is too wide, the last column shrinks first, to at least a third of
  /// the terminal. Then the widest other column shrinks until the table fits.
  private func widths(in columns: Int) -> [Int] {
    var widths = rows[0].indices.map { index in rows.map { Columns.width(of: $0[index]) }.max() ?? 0 }
    let gaps = 2 * (widths.count - 1)
    let last = widths.count - 1
    let surplus = widths.reduce(gaps, +) - columns
    if surplus > 0 { widths[last] = max(min(widths[last], columns / 3), widths[last] - surplus) }
    while widths.reduce(gaps, +) > columns,
      let widest = widths.indices.dropFirst(fixed).max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 4
    {
      widths[widest] -= 1
    }
    return widths
  }
}

/// A list of labels and values, which are shown in two columns.
package struct LabelledLines {
  package private(set) var pairs: [(label: String, value: String)] = []
  /// The indices of the pairs with urgent values, which are red on a terminal with colours.
  private var urgent: Set<Int> = []

  package init() {}

  package mutating func add(_ label: String, _ value: String?, isUrgent: Bool = false) {
    guard let value else { return }
    if isUrgent { urgent.insert(pairs.count) }
    pairs.append((label, value))
  }

  /// Returns the labels and values as lines of text in two columns.
  /// - Parameters:
  ///   - columns: The maximum width of a line of text.
  ///   - hasColours: Whether the values of urgent pairs are red (ECMA-48 §8.3.117, SGR).
  func lines(columns: Int, hasColours: Bool = false) -> [String] {
    let width = min(pairs.map { Columns.width(of: $0.label) }.max() ?? 0, columns / 2)
    return pairs.enumerated().flatMap { row, pair in
      let (label, value) = pair
      let isRed = hasColours && urgent.contains(row)
      let start = Columns.padded(Columns.clipped(label, to: width), to: width)
      let values = Columns.wrapped(value, to: columns - width - 2)
      return values.enumerated().map { index, value in
        (index == 0 ? start : String(repeating: " ", count: width)) + "  "
          + (isRed ? "\u{1B}[1;31m\(value)\u{1B}[0m" : value)
      }
    }
  }
}
