/// A placeholder for a value in a phrase. A phrase contains the placeholder in braces, for example `{app}`.
package enum Placeholder: String, Hashable, Sendable, CaseIterable {
  case app
  /// The address of a broker.
  case broker
  case count
  /// The suggestion for a misspelled word.
  case nearest
  /// The number of a prompt, or the number of an entry in a list.
  case number
  /// The name of a region.
  case region
  /// A text that comes from an app, or another text without its own placeholder.
  case text
  case time
  case value
  case word
}

/// A phrase in every language. A missing language is a compile error.
package struct Texts: Hashable, Sendable {
  package let english: String
  package let german: String
  package let japanese: String
  package let vietnamese: String
  package let simplifiedChinese: String

  init(en english: String, de german: String, ja japanese: String, vi vietnamese: String, zhHans: String) {
    self.english = english
    self.german = german
    self.japanese = japanese
    self.vietnamese = vietnamese
    simplifiedChinese = zhHans
  }

  package subscript(language: Language) -> String {
    switch language {
    case .english: english
    case .german: german
    case .japanese: japanese
    case .vietnamese: vietnamese
    case .simplifiedChinese: simplifiedChinese
    }
  }
}

/// A part of the table of texts for users. A missing phrase is a compile error, because `texts` switches over all
/// cases.
package protocol Phrase: CaseIterable, Hashable, Sendable {
  var texts: Texts { get }
  /// The maximum width in columns; nil if the text can wrap.
  var room: Int? { get }
}

extension Phrase {
  package var room: Int? { nil }

  package func text(in language: Language, _ values: [Placeholder: String] = [:]) -> String {
    var text = ""
    var rest = texts[language][...]
    while let brace = rest.firstIndex(of: "{"), let end = rest[brace...].firstIndex(of: "}") {
      text += rest[..<brace]
      let name = String(rest[rest.index(after: brace)..<end])
      text += Placeholder(rawValue: name).flatMap { values[$0] } ?? "{\(name)}"
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }
}
