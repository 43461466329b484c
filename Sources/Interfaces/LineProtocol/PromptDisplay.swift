/// The language and the user interface in which a user read a prompt (a question to the user) before the answer.
public struct PromptDisplay: Hashable, Sendable {
  /// A user interface of the gateway itself for owners (administrators): the console or the web page.
  public enum Surface: String, Hashable, Sendable, CaseIterable {
    /// The console, a command line for owners (administrators).
    case console
    /// The web page for owners (administrators) in a browser.
    case page
  }

  /// The language in which the prompt (a question to the user) was shown, as a BCP 47 tag; nil for the language of the
  /// gateway.
  public var language: String?
  /// The gateway's own user interface that showed the prompt (a question to the user); nil if another program showed
  /// the prompt.
  public var surface: Surface?

  /// Creates a display of a prompt (a question to the user). By default, another program showed the prompt in the
  /// language of the gateway.
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
