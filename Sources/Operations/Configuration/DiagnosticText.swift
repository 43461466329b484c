import Base

package enum DiagnosticText {
  /// Returns a text in quotation marks for an error message. Control characters are escaped, and the text is cut after
  /// about 60 characters.
  package static func quoted(_ text: String) -> String {
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

  /// Escapes the control characters in an error message of a library. Such a message can quote text from a file.
  static func plain(_ message: String) -> String { message.unicodeScalars.map(plain).joined() }

  private static func plain(_ scalar: Unicode.Scalar) -> String {
    scalar.isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
  }

  /// Returns a list of quoted names, as in `'one', 'two' or 'three'`.
  package static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { DiagnosticText.quoted($0) }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Returns a suggestion for a misspelled name, as in ` (did you mean 'accuracy'?)`; empty if no name is similar.
  package static func suggestion(for name: String, among names: [String]) -> String {
    Spelling.nearest(to: name, among: names).map { " (did you mean \(quoted($0))?)" } ?? ""
  }
}
