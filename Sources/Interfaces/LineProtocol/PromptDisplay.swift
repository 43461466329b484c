/// The display on which a user read a prompt before the answer.
public struct PromptDisplay: Hashable, Sendable {
  /// A user interface of the gateway itself: the console or the web page for owners.
  public enum Surface: String, Hashable, Sendable, CaseIterable {
    /// A terminal with the console for owners.
    case console
    /// The web page for owners in a browser.
    case page
  }

  /// The language of the prompt's text as a BCP 47 tag; nil for the language of the gateway.
  public var language: String?
  /// The user interface of the gateway; nil if another program showed the prompt.
  public var surface: Surface?

  /// Creates a display from the language of the prompt's text and the user interface.
  public init(language: String? = nil, surface: Surface? = nil) {
    self.language = language
    self.surface = surface
  }

  /// Returns the language tag if the tag is valid.
  /// - Throws: `LineError` if the tag is not 2...16 letters, digits and hyphens.
  static func checked(language: String) throws(LineError) -> String {
    guard (2...16).contains(language.utf8.count),
      language.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "-") })
    else { throw LineError(.badArgument, "language must be a tag, as in de or zh-Hans") }
    return language
  }
}
