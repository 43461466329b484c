import CResources

/// A placeholder in a text for users, in braces, for example `{app}`. A value replaces the placeholder when the text is
/// shown.
package enum Placeholder: String, Hashable, Sendable, CaseIterable {
  case app
  /// The address of a service to which the gateway sends fixes, for example an MQTT broker.
  case broker
  case count
  /// The known word with the spelling most similar to an unknown word.
  case nearest
  /// The number of an item in a list, for example the sequence number of a log entry.
  case number
  /// The name of a region: a circle on the ground whose entry and exit the gateway reports.
  case region
  /// A text from an app, or another text that has no placeholder of its own.
  case text
  case time
  case value
  case word
}

/// A text for users in every language: one row of the table `texts.tsv`.
package struct Texts: Hashable, Sendable {
  /// The rows of the table `texts.tsv`. The key is the enumeration and its case, for example `AccuracyPhrase.full`.
  static let rows: [String: Texts] = {
    let lines = table.utf8.split(separator: UInt8(ascii: "\n"))
    // The first row has the names of the columns.
    let rows = lines.dropFirst().map {
      $0.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { Substring($0) }
    }
    return Dictionary(rows.map { (String($0[0]), Texts(cells: Array($0.dropFirst()))) }) { first, _ in first }
  }()

  /// The table `texts.tsv`: a header and one line for each row, with tabs between the cells.
  static var table: String { unsafe String(cString: onefix_texts_tsv()) }

  /// Returns the row of the table `texts.tsv` with a name, for example `AccuracyPhrase.full`; nil if there is no such
  /// row.
  package static func row(_ name: String) -> Texts? { rows[name] }

  /// Reads the table `texts.tsv` at the start of the program. Without this call, the first access to a text reads the
  /// table.
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
/// stays in the text, so that a test finds the name.
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

/// A text for users that a string identifies, instead of the case of an enumeration. `allCases` contains the strings in
/// the table `texts.tsv`.
package protocol NamedPhrase: Phrase, CustomStringConvertible {
  init(_ name: String)
}

extension NamedPhrase {
  package static var allCases: [Self] {
    let part = "\(Self.self)."
    return Texts.rows.keys.filter { $0.hasPrefix(part) }.sorted().map { Self(String($0.dropFirst(part.count))) }
  }
}
