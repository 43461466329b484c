/// The capabilities of a terminal: characters outside ASCII, attributes, and colours.
package struct TerminalKind: Hashable, Sendable {
  package var isASCII: Bool
  package var hasAttributes: Bool
  package var hasColours: Bool
}

extension TerminalKind {
  /// Detects the kind of the terminal from environment variables. The first non-empty one of `LC_ALL`, `LC_CTYPE` and
  /// `LANG` names the character set (POSIX.1-2017, Base Definitions 8.2). A non-empty `NO_COLOR` switches colours off
  /// (no-color.org).
  /// - Parameter variable: Returns the value of an environment variable; nil if it is not set.
  package init(environment variable: (String) -> String?) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "C"
    let codeset = locale.drop { $0 != "." }.dropFirst().prefix { $0 != "@" }.lowercased()
    let name = variable("TERM") ?? ""
    let isDumb = ["", "dumb", "unknown"].contains(name)
    isASCII = isDumb || name.hasPrefix("vt1") || !["utf-8", "utf8"].contains(codeset)
    hasAttributes = !isDumb
    hasColours = !isDumb && !name.hasPrefix("vt") && (variable("NO_COLOR") ?? "").isEmpty
  }
}

/// The characters with which the terminal program `onefix top` draws lamps, circles and bars.
struct Ornaments {
  var lit = "●"
  var unlit = "○"
  var ring = "·"
  var used = "█"
  var unused = "░"

  static let ascii = Ornaments(lit: "*", unlit: "o", ring: ".", used: "#", unused: "-")
}

/// The conversion of text to ASCII, for terminals without other characters.
enum ASCIIText {
  private static let stand: [Character: String] = [
    "…": ".", "–": "-", "—": "-", "’": "'", "‘": "'", "“": "\"", "”": "\"", "„": "\"", "·": ".", "→": ">",
  ]

  /// Returns an ASCII text that replaces a character, with the same width in columns.
  static func text(for character: String, columns: Int) -> String {
    if character.allSatisfy(\.isASCII) { return character }
    if character.count == 1, let known = character.first.flatMap({ stand[$0] }) { return known }
    return String(repeating: "?", count: columns)
  }
}
