/// What a text takes on a terminal, in columns: two for a wide character, none for a mark that stands on another.
/// (Unicode UAX #11)
package enum Columns {
  package static func width(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  /// Characters are drawn whole: where one is a sequence, its parts stand together or over each other.
  package static func width(of character: Character) -> Int {
    let width = character.unicodeScalars.reduce(0) { $0 + Self.width(of: $1) }
    // What is to be drawn as a picture is wide, whatever its first part is. (UTS #51, "presentation sequences")
    return character.unicodeScalars.contains("\u{FE0F}") ? max(2, width) : width
  }

  package static func width(of scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7F).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator, .surrogate: return 0
    // A soft hyphen is drawn by most terminals.
    case .format: return scalar == "\u{AD}" ? 1 : 0
    default: break
    }
    // Vowels and final consonants of a Hangul syllable stand within its first one.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
    return scalar.isWide ? 2 : 1
  }

  /// The text, cut where it takes more than so many columns, with `…` for what is missing.
  package static func clipped(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    return beginning(of: text, to: columns - 1) + "…"
  }

  private static func beginning(of text: some StringProtocol, to columns: Int) -> String {
    var left = columns
    return String(
      text.prefix { character in
        left -= width(of: character)
        return left >= 0
      })
  }

  /// The text with spaces after it, so that it takes so many columns at least.
  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  /// The text in lines of at most so many columns, broken at spaces, beside wide characters, and where nothing else
  /// helps within a word. Every line but the first begins with so many spaces.
  package static func wrapped(_ text: String, to columns: Int, indent: Int = 0) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while true {
      let margin = lines.isEmpty ? 0 : indent
      let room = max(2, columns - margin)
      let line = width(of: rest) <= room ? rest : rest[..<breakpoint(of: rest, room)]
      lines.append(String(repeating: " ", count: margin) + line.trimmingSpaces)
      rest = rest[line.endIndex...].drop { $0 == " " }
      if rest.isEmpty { return lines }
    }
  }

  /// Where a line ends that begins the text: after at least one character, and after at most so many columns.
  private static func breakpoint(of text: Substring, _ room: Int) -> Substring.Index {
    var left = room
    var index = text.startIndex
    var best: Substring.Index?
    while index < text.endIndex {
      let (character, next) = (text[index], text.index(after: index))
      left -= width(of: character)
      if index > text.startIndex, mayBreak(before: character, after: text[text.index(before: index)]) { best = index }
      if left < 0 { return best ?? max(index, text.index(after: text.startIndex)) }
      index = next
    }
    return text.endIndex
  }

  /// Closing marks stay with what they close, opening ones with what they open. (JIS X 4051, in short)
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
