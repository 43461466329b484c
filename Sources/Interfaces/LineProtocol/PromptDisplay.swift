/// The display on which an owner read a prompt before the answer.
public struct PromptDisplay: Hashable, Sendable {
  /// A display of the gateway itself.
  public enum Surface: String, Hashable, Sendable, CaseIterable {
    case console
    case page
  }

  /// The language of the text, as a BCP 47 tag; nil for the language of the gateway.
  public var language: String?
  /// The gateway's own display; nil for a client of the owners' socket.
  public var surface: Surface?

  /// Creates the description of a display.
  public init(language: String? = nil, surface: Surface? = nil) {
    self.language = language
    self.surface = surface
  }

  /// - Throws: `LineError` if the tag is not 2...16 letters, digits and hyphens.
  static func checked(language: String) throws(LineError) -> String {
    guard (2...16).contains(language.utf8.count),
      language.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "-") })
    else { throw LineError(.badArgument, "language must be a tag, as in de or zh-Hans") }
    return language
  }
}
