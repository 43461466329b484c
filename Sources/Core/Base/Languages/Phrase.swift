/// A placeholder for a value in a phrase. A phrase contains the placeholder in braces, for example `{app}`.
package enum Placeholder: String, Hashable, Sendable, CaseIterable {
  case app
  /// The address of an MQTT broker.
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

/// The texts of a phrase in every language: a row of the table `texts.tsv`.
package struct Texts: Hashable, Sendable {
  /// The rows of the table `texts.tsv`, by the name of a phrase: the names of its enumeration and of its case, for
  /// example `AccuracyPhrase.full`.
  static let rows: [String: Texts] = {
    let lines = String(decoding: PackageResources.texts_tsv, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n"))
    // The first row has the names of the columns.
    let rows = lines.dropFirst().map {
      $0.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { Substring($0) }
    }
    return Dictionary(rows.map { (String($0[0]), Texts(cells: Array($0.dropFirst()))) }) { first, _ in first }
  }()

  /// Returns the row with a name, as in `AccuracyPhrase.full`; nil if the table does not have the row.
  package static func row(_ name: String) -> Texts? { rows[name] }

  /// Reads the table `texts.tsv`. Without this call, the first access to a text reads the table.
  package static func prepare() { _ = rows }

  /// The texts in the order of `Language.allCases`.
  let cells: [Substring]

  package subscript(language: Language) -> String {
    Language.allCases.firstIndex(of: language).flatMap { $0 < cells.count ? String(cells[$0]) : nil } ?? ""
  }
}

/// A phrase for users. Its texts are a row of the table `texts.tsv`. A phrase without a row has empty texts; a test
/// checks that every phrase has a row.
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

/// Returns a text in which values replace the names in braces, as in `{app}`. A name without a value stays in the text,
/// so that a test finds it.
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

/// Phrases that another table names, so that the table of texts has the only list of them.
package protocol NamedPhrase: Phrase, CustomStringConvertible {
  init(_ name: String)
}

extension NamedPhrase {
  package static var allCases: [Self] {
    let part = "\(Self.self)."
    return Texts.rows.keys.filter { $0.hasPrefix(part) }.sorted().map { Self(String($0.dropFirst(part.count))) }
  }
}
