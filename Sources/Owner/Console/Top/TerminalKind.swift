/// What a terminal can draw, as its environment says.
package struct TerminalKind: Hashable, Sendable {
  /// Nothing but ASCII.
  package var isASCII: Bool
  /// Bold and reversed characters.
  package var hasAttributes: Bool
  package var hasColours: Bool

  package init(isASCII: Bool, hasAttributes: Bool, hasColours: Bool) {
    self.isASCII = isASCII
    self.hasAttributes = hasAttributes
    self.hasColours = hasColours
  }

  /// - Parameter variable: looks up a variable of the environment. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is
  ///   set and not empty says the characters (POSIX.1-2017, Base Definitions 8.2); `NO_COLOR` that is not empty takes
  ///   colours away (no-color.org).
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

/// The characters that are no text.
struct Ornaments {
  var lit = "●"
  var unlit = "○"
  var ring = "·"
  var used = "█"
  var unused = "░"

  static let ascii = Ornaments(lit: "*", unlit: "o", ring: ".", used: "#", unused: "-")
}

/// What stands for a character that is not ASCII.
enum ASCIIText {
  private static let stand: [Character: String] = [
    "…": ".", "–": "-", "—": "-", "’": "'", "‘": "'", "“": "\"", "”": "\"", "„": "\"", "·": ".",
  ]

  /// As many columns as the character takes.
  static func text(for character: String, columns: Int) -> String {
    if character.utf8.allSatisfy({ $0 < 0x80 }) { return character }
    if character.count == 1, let known = character.first.flatMap({ stand[$0] }) { return known }
    return String(repeating: "?", count: columns)
  }
}
