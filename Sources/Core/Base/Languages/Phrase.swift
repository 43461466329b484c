/// A placeholder in the text of a phrase. The text contains the placeholder in braces, for example `{app}`, and a value
/// replaces it.
package enum Placeholder: String, Hashable, Sendable, CaseIterable {
  case app
  /// The address of an MQTT broker.
  case broker
  case count
  /// The correctly spelled word that is most similar to a misspelled word.
  case nearest
  /// The identifier of a prompt, or the sequence number of an entry in a list.
  case number
  /// The name of a region.
  case region
  /// A text that comes from an app, or another text without its own placeholder.
  case text
  case time
  case value
  case word
}

/// The texts of a phrase in every language: a row of the table `texts.tsv`.
package struct Texts: Hashable, Sendable {
  /// The rows of the table `texts.tsv`, by the name of the phrase. The name consists of the enumeration and its case,
  /// for example `AccuracyPhrase.full`.
  static let rows: [String: Texts] = {
    let lines = String(decoding: PackageResources.texts_tsv, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n"))
    // The first row has the names of the columns.
    let rows = lines.dropFirst().map {
      $0.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { Substring($0) }
    }
    return Dictionary(rows.map { (String($0[0]), Texts(cells: Array($0.dropFirst()))) }) { first, _ in first }
  }()

  /// Returns the row of the table `texts.tsv` with a name, for example `AccuracyPhrase.full`; nil if there is no such
  /// row.
  package static func row(_ name: String) -> Texts? { rows[name] }

  /// Reads the table `texts.tsv` in advance. Without this call, the first access to a text reads the table.
  package static func prepare() { _ = rows }

  /// The texts in the order of `Language.allCases`.
  let cells: [Substring]

  package subscript(language: Language) -> String {
    Language.allCases.firstIndex(of: language).flatMap { $0 < cells.count ? String(cells[$0]) : nil } ?? ""
  }
}

/// A text for users that exists in several languages. The translations are a row of the table `texts.tsv`. Without a
/// row, all translations are empty; a test checks that every phrase has a row.
package protocol Phrase: CaseIterable, Hashable, Sendable {
  /// The maximum width of the text in columns of a terminal; nil if the text can wrap.
  var room: Int? { get }
}

extension Phrase {
  package var room: Int? { nil }

  package var texts: Texts { Texts.rows["\(Self.self).\(self)"] ?? Texts(cells: []) }

  package func text(in language: Language, _ values: [Placeholder: String] = [:]) -> String {
    filled(texts[language]) { name in Placeholder(rawValue: name).flatMap { values[$0] } }
  }
}

/// Returns a template text in which values replace the names in braces, for example `{app}`. A name without a value
/// stays in the text, so that a test finds it.
///
/// - Parameter value: Returns the value for a name; nil if there is none.
package func filled(_ template: String, _ value: (String) -> String?) -> String {
  var text = ""
  var rest = template[...]
  while let brace = rest.firstIndex(of: "{"), let end = rest[brace...].firstIndex(of: "}") {
    text += rest[..<brace]
    let name = String(rest[rest.index(after: brace)..<end])
    text += value(name) ?? "{\(name)}"
    rest = rest[rest.index(after: end)...]
  }
  return text + rest
}

/// A phrase that is identified by a string instead of an enumeration's case. The rows of the table `texts.tsv` are the
/// only list of these phrases.
package protocol NamedPhrase: Phrase, CustomStringConvertible {
  init(_ name: String)
}

extension NamedPhrase {
  package static var allCases: [Self] {
    let part = "\(Self.self)."
    return Texts.rows.keys.filter { $0.hasPrefix(part) }.sorted().map { Self(String($0.dropFirst(part.count))) }
  }
}
