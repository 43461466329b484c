/// The languages of texts for users. (BCP 47 tags)
package enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case japanese = "ja"
  case vietnamese = "vi"
  case simplifiedChinese = "zh-Hans"
}

extension Language {
  /// Returns the words as one text, separated by the list comma of the language, for example `, ` or `、`.
  package func list(_ words: [String]) -> String { words.joined(separator: setsSpaces ? ", " : "、") }

  /// Whether the language separates words and sentences by spaces.
  package var setsSpaces: Bool {
    switch self {
    case .english, .german, .vietnamese: true
    case .japanese, .simplifiedChinese: false
    }
  }

  /// Creates the language of a POSIX locale, for example `ja_JP.UTF-8`. Returns nil if the language is not supported or
  /// the character set is not UTF-8.
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
      // If the locale names a script, the region has no effect. If the locale names no script, the region determines
      // the script. Mainland China and Singapore use simplified characters.
      let isSimplified =
        parts.contains("hans") || !parts.contains("hant") && (parts.contains { ["cn", "sg"].contains($0) })
      guard isSimplified else { return nil }
      self = .simplifiedChinese
    default: return nil
    }
  }

  /// Creates the language that the environment selects for messages. The first of `LC_ALL`, `LC_MESSAGES` and `LANG`
  /// that is set and not empty determines the language. If this version does not support that language, the result is
  /// English. (POSIX.1-2017, Base Definitions 8.2)
  /// - Parameter variable: A function that returns the value of an environment variable.
  package init(environment variable: (String) -> String?) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    self = locale.flatMap { Language(locale: $0) } ?? .english
  }
}
