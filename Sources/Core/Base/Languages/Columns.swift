/// Functions that measure and limit the width of text on a terminal, in columns. A wide character takes two columns,
/// and a combining mark takes no column (Unicode UAX #11).
package enum Columns {
  package static func width(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  package static func width(of character: Character) -> Int {
    let width = character.unicodeScalars.reduce(0) { $0 + Self.width(of: $1) }
    // An emoji variation selector makes a character wide. (UTS #51, "presentation sequences")
    return character.unicodeScalars.contains("\u{FE0F}") ? max(2, width) : width
  }

  package static func width(of scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7F).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator, .surrogate: return 0
    // Most terminals draw a soft hyphen in one column.
    case .format: return scalar == "\u{AD}" ? 1 : 0
    default: break
    }
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
    return scalar.isWide ? 2 : 1
  }

  /// Returns the text, shortened to at most `columns` columns of a terminal. A shortened text ends with `…`.
  package static func clipped(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    return beginning(of: text, to: columns - 1) + "…"
  }

  /// Returns the text, shortened to at most `columns` columns of a terminal, with `…` in the middle. Two identifiers that
  /// begin alike often differ at the end.
  package static func shortened(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns, columns > 2 else { return clipped(text, to: columns) }
    let end = beginning(of: String(text.reversed()), to: (columns - 1) / 2)
    return beginning(of: text, to: columns - 1 - width(of: end)) + "…" + end.reversed()
  }

  private static func beginning(of text: some StringProtocol, to columns: Int) -> String {
    var left = columns
    return String(
      text.prefix { character in
        left -= width(of: character)
        return left >= 0
      })
  }

  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  /// Breaks a text into lines of at most `columns` columns of a terminal. A line breaks at a space or next to a wide
  /// character, and inside a word only if the word is wider than a line.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - columns: The maximum width of a line.
  ///   - indent: The count of columns by which every line except the first is indented.
  ///   - width: Returns the width of a character.
  package static func wrapped(
    _ text: String, to columns: Int, indent: Int = 0, width: (Character) -> Int = { Columns.width(of: $0) }
  ) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while true {
      let margin = lines.isEmpty ? 0 : indent
      let room = max(2, columns - margin)
      let line = rest[..<breakpoint(of: rest, room, width)]
      lines.append(String(repeating: " ", count: margin) + line.trimmingSpaces)
      rest = rest[line.endIndex...].drop { $0 == " " }
      if rest.isEmpty { return lines }
    }
  }

  /// Returns the end of the first line of a text. The line is at most `room` columns wide, and has at least one
  /// character.
  private static func breakpoint(
    of text: Substring, _ room: Int, _ width: (Character) -> Int
  ) -> Substring.Index {
    var left = room
    var index = text.startIndex
    var best: Substring.Index?
    while index < text.endIndex {
      let (character, next) = (text[index], text.index(after: index))
      left -= width(character)
      if index > text.startIndex, mayBreak(before: character, after: text[text.index(before: index)]) { best = index }
      if left < 0 { return best ?? max(index, text.index(after: text.startIndex)) }
      index = next
    }
    return text.endIndex
  }

  /// Returns whether a line of text can break between two characters. A line never breaks before a closing mark such as
  /// `」`, or after an opening mark such as `「` (JIS X 4051, simplified).
  private static func mayBreak(before character: Character, after previous: Character) -> Bool {
    if character == " " { return true }
    if previous == " " { return true }
    if "。、，．！？：；）」』】〉》”’%…・ー".contains(character) || "（「『【〈《“‘".contains(previous) { return false }
    return width(of: character) == 2 || width(of: previous) == 2
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
