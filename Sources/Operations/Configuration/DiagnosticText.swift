import Base

/// Returns a text in quotation marks for an error message. Control characters are escaped, and the text is cut after
/// about 60 characters.
package func quoted(_ text: String) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    guard shown.unicodeScalars.count < 60 else { return "'\(shown)…'" }
    shown += DiagnosticText.plain(scalar)
  }
  return "'\(shown)'"
}

package enum DiagnosticText {

  /// Returns an error message with escaped control characters. A message of a library, for example, can quote text from
  /// a file.
  package static func plain(_ message: String) -> String { message.unicodeScalars.map(plain).joined() }

  fileprivate static func plain(_ scalar: Unicode.Scalar) -> String {
    scalar.isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
  }

  /// Returns the quoted names joined with `or`, as in `'one', 'two' or 'three'`.
  package static func alternatives(_ names: [String]) -> String {
    let names = names.map(quoted)
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Returns a suggestion for a misspelled name in an error message, as in ` (did you mean 'accuracy'?)`; empty if no
  /// name is similar.
  package static func suggestion(for name: String, among names: [String]) -> String {
    Spelling.nearest(to: name, among: names).map { " (did you mean \(quoted($0))?)" } ?? ""
  }
}

extension StringProtocol {
  /// Whether all characters are ASCII digits.
  package var hasOnlyDigits: Bool { unicodeScalars.allSatisfy { ("0"..."9").contains($0) } }

  /// Whether each character is an ASCII letter, an ASCII digit or a character in `others`.
  package func hasOnlyLetters(_ others: String) -> Bool {
    unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || others.unicodeScalars.contains($0))
    }
  }

  /// Whether the text consists of one or more lower-case letters, digits and `-`.
  /// - Parameter length: The maximum length in bytes.
  func isName(upTo length: Int) -> Bool {
    (1...length).contains(utf8.count) && hasOnlyLetters("-") && !unicodeScalars.contains { ("A"..."Z").contains($0) }
  }
}
