/// The languages of texts for users. The raw values are BCP 47 tags.
package enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case japanese = "ja"
  case vietnamese = "vi"
  case simplifiedChinese = "zh-Hans"
}

extension Language {
  /// Returns the words joined to one text. The separator is `, `, but `、` in Japanese and Chinese.
  package func list(_ words: [String]) -> String { words.joined(separator: setsSpaces ? ", " : "、") }

  package var setsSpaces: Bool {
    switch self {
    case .english, .german, .vietnamese: true
    case .japanese, .simplifiedChinese: false
    }
  }

  /// Creates the language of a POSIX locale, for example `ja_JP.UTF-8`. Returns nil if the language or the character
  /// set is not supported.
  package init?(locale: String) {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let codeset = locale.dropFirst(name.count).prefix { $0 != "@" }.dropFirst().lowercased()
    guard ["", "utf-8", "utf8"].contains(codeset) else { return nil }
    let parts = name.lowercased().split { $0 == "_" || $0 == "-" }
    switch parts.first {
    case "en": self = .english
    case "de": self = .german
    case "ja": self = .japanese
    case "vi": self = .vietnamese
    case "zh":
      // A script in the locale has priority over the region. Mainland China and Singapore use simplified characters.
      let isSimplified =
        parts.contains("hans") || !parts.contains("hant") && (parts.contains { ["cn", "sg"].contains($0) })
      guard isSimplified else { return nil }
      self = .simplifiedChinese
    default: return nil
    }
  }

  /// Creates the language of messages from the first of the environment variables `LC_ALL`, `LC_MESSAGES` and `LANG`
  /// that is not empty. An unsupported language gives English (POSIX.1-2017, Base Definitions 8.2).
  ///
  /// - Parameter variable: Returns the value of an environment variable; nil if not set.
  package init(environment variable: (String) -> String?) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    self = locale.flatMap { Language(locale: $0) } ?? .english
  }
}
