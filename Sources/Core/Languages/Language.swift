/// The languages in which people are addressed. (BCP 47 tags)
package enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case japanese = "ja"
  case vietnamese = "vi"
  case simplifiedChinese = "zh-Hans"
}

extension Language {
  /// Words in a row.
  package func list(_ words: [String]) -> String { words.joined(separator: setsSpaces ? ", " : "、") }

  /// Whether spaces stand between words and sentences.
  package var setsSpaces: Bool {
    switch self {
    case .english, .german, .vietnamese: true
    case .japanese, .simplifiedChinese: false
    }
  }

  /// The language of a POSIX locale, as in `ja_JP.UTF-8`; nil for one in which nothing is written here, or whose
  /// characters are not UTF-8.
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
      // Script goes before place: Singapore and the mainland write simplified characters.
      let isSimplified =
        parts.contains("hans") || !parts.contains("hant") && (parts.contains { ["cn", "sg"].contains($0) })
      guard isSimplified else { return nil }
      self = .simplifiedChinese
    default: return nil
    }
  }

  /// The language of messages in an environment: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and not
  /// empty decides. English where that names no other. (POSIX.1-2017, Base Definitions 8.2)
  package init(environment variable: (String) -> String?) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    self = locale.flatMap { Language(locale: $0) } ?? .english
  }
}
