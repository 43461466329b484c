/// What is put into a phrase, by its name in braces: `{app}`.
package enum Placeholder: String, Hashable, Sendable, CaseIterable {
  /// How an app is called.
  case app
  case count
  /// What was meant instead.
  case nearest
  /// The number of a prompt or an entry.
  case number
  case place
  /// What somebody said.
  case text
  case time
  case value
  case word
}

/// One phrase in every language. A language that is missing does not compile.
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

/// A part of the table of what people read. A phrase that is missing from it does not compile, either: `texts` switches
/// over all of them.
package protocol Phrase: CaseIterable, Hashable, Sendable {
  var texts: Texts { get }
  /// The columns that a layout has for it at most; nil where its line is broken as needed.
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
