import Languages

/// How messages name things.
enum Wording {
  /// Text from a file, in quotes, with nothing in it that a terminal would obey, and not longer than a line.
  static func quoted(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      guard shown.unicodeScalars.count < 60 else {
        shown += "…"
        break
      }
      shown += plain(scalar)
    }
    return "'\(shown)'"
  }

  /// A message of a library, which may show what it read as it is, with nothing in it that a terminal would obey.
  static func plain(_ message: String) -> String { message.unicodeScalars.map(plain).joined() }

  private static func plain(_ scalar: Unicode.Scalar) -> String {
    scalar.isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
  }

  /// As in `'one', 'two' or 'three'`.
  static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { Wording.quoted($0) }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// As in ` (did you mean 'accuracy'?)`; empty where nothing is near.
  static func suggestion(for name: String, among names: [String]) -> String {
    Spelling.nearest(to: name, among: names).map { " (did you mean \(quoted($0))?)" } ?? ""
  }
}
