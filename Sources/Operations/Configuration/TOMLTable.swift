import Base

/// A value from a file, with its line number from 1.
package struct Located<Value> {
  package var value: Value
  package var line: Int

  package init(value: Value, line: Int) {
    self.value = value
    self.line = line
  }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
extension Located: Sendable where Value: Sendable {}

/// A reader for a TOML table, which collects errors.
///
/// An invalid value is reported and then counts as missing, so that one pass finds all errors. At the end, `finish()`
/// reports unknown keys. The initializers of settings return nil if a necessary key is missing or invalid.
package final class TOMLTable {
  /// The name of the table as written in the file, for example `[[app]]`; empty for the root table.
  package let name: String
  package let line: Int
  package let diagnostics: Diagnostics
  let entries: [TOMLEntry]
  private var known: [String] = []

  private static let controlFault = "must not contain control characters, tabs or line ends"

  init(_ entries: [TOMLEntry], name: String, line: Int, diagnostics: Diagnostics) {
    self.entries = entries
    self.name = name
    self.line = line
    self.diagnostics = diagnostics
  }

  convenience init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    let root = try TOMLNode(parsing: bytes, file: file)
    guard case .table(let entries) = root.content else {
      throw ConfigurationError(file: file, "the file is not a table")
    }
    self.init(entries, name: "", line: 1, diagnostics: Diagnostics(file: file))
  }

  package var lines: [String: Int] { Dictionary(entries.map { ($0.key, $0.line) }) { first, _ in first } }

  // MARK: Values

  /// Reads the value of a key as a text. Returns nil if the key is missing, or if the text has control characters: a
  /// function of C would read the text only up to a NUL, and a message with a line end would have two lines.
  package func string(_ key: String) -> Located<String>? {
    let found = value(key, "a string") { if case .string(let text) = $0.content { text } else { nil } }
    return checked(key, found) { $0.hasControlCharacters ? Self.controlFault : nil }
  }

  /// Reads the value of a key as a text for users: letters, digits, punctuation, symbols and plain spaces. Returns nil
  /// if the key is missing or the text is invalid.
  ///
  /// - Parameter columns: The maximum width of the text in columns of a terminal.
  package func plainText(_ key: String, columns: Int) -> Located<String>? {
    checked(key, string(key)) { text in
      guard text.unicodeScalars.allSatisfy(\.isPlain) else { return Self.controlFault }
      let width = Columns.width(of: text)
      return width <= columns ? nil : "is \(width) columns wide, but must have at most \(columns)"
    }
  }

  package func boolean(_ key: String) -> Located<Bool>? {
    value(key, "true or false") { if case .boolean(let value) = $0.content { value } else { nil } }
  }

  package func integer(_ key: String, in range: ClosedRange<Int64>) -> Located<Int64>? {
    let found: Located<Int64>? = value(key, "an integer") {
      if case .integer(let number) = $0.content { number } else { nil }
    }
    return checked(key, found, in: range)
  }

  package func milliseconds(_ key: String, in range: ClosedRange<Int64>) -> Located<Duration>? {
    integer(key, in: range).map { Located(value: .milliseconds($0.value), line: $0.line) }
  }

  func number(_ key: String, in range: ClosedRange<Double>) -> Located<Double>? {
    let found = value(key, "a number") { node -> Double? in
      switch node.content {
      case .integer(let number): Double(number)
      case .float(let number): number
      default: nil
      }
    }
    // NaN is not in any range.
    return checked(key, found, in: range)
  }

  package func choice<Value: RawRepresentable & CaseIterable>(
    _ key: String, of type: Value.Type
  ) -> Located<Value>? where Value.RawValue == String {
    choice(key, among: Array(type.allCases)) { $0.rawValue }
  }

  /// Reads the value of a key as the name of one of `values`. Returns nil if the key is missing. Any other text is
  /// reported as an error.
  func choice<Value>(_ key: String, among values: [Value], name: (Value) -> String) -> Located<Value>? {
    string(key).flatMap { choice($0, of: key, "is", among: values, name) }
  }

  /// Reads the value of a key as an array with names of `values`. Returns nil if the key is missing. Any other name is
  /// reported as an error.
  func choices<Value: Hashable>(_ key: String, among values: [Value], name: (Value) -> String) -> Set<Value>? {
    guard let found = strings(key)?.map({ choice($0, of: key, "has", among: values, name)?.value }) else { return nil }
    return found.contains(nil) ? nil : Set(found.compactMap(\.self))
  }

  private func choice<Value>(
    _ text: Located<String>, of key: String, _ verb: String, among values: [Value], _ name: (Value) -> String
  ) -> Located<Value>? {
    if let value = values.first(where: { name($0) == text.value }) { return Located(value: value, line: text.line) }
    let names = values.map(name)
    reject(
      key, line: text.line,
      "\(verb) \(quoted(text.value)), but must be \(DiagnosticText.alternatives(names))"
        + DiagnosticText.suggestion(for: text.value, among: names))
    return nil
  }

  package func strings(_ key: String) -> [Located<String>]? {
    let found = array(key, of: "strings") { if case .string(let text) = $0.content { text } else { nil } }
    guard let wrong = found?.first(where: { $0.value.hasControlCharacters }) else { return found }
    reject(key, line: wrong.line, Self.controlFault)
    return nil
  }

  func integers(_ key: String) -> [Located<Int64>]? {
    array(key, of: "integers") { if case .integer(let number) = $0.content { number } else { nil } }
  }

  /// Reads the value of a key, of any type; nil if the key is missing.
  package func node(_ key: String) -> TOMLNode? { entry(key)?.value }

  package func has(_ key: String) -> Bool { node(key) != nil }

  // MARK: Tables

  package func table(_ key: String) -> TOMLTable? {
    let entries = value(key, "a table") { node -> [TOMLEntry]? in
      if case .table(let entries) = node.content { entries } else { nil }
    }
    let parent = name.drop { $0 == "[" }.prefix { $0 != "]" }
    return entries.map {
      TOMLTable(
        $0.value, name: parent.isEmpty ? "[\(key)]" : "[\(parent).\(key)]", line: $0.line, diagnostics: diagnostics)
    }
  }

  /// Reads all tables `[[key]]` with this key. The result is empty if the file has no such table.
  package func tables(_ key: String) -> [TOMLTable] {
    guard let entry = entry(key) else { return [] }
    guard case .array(let nodes) = entry.value.content else {
      diagnostics.report(entry.line, "\(title(key)) must be written [[\(key)]] for each table")
      return []
    }
    return nodes.compactMap { node in
      guard case .table(let entries) = node.content else {
        diagnostics.report(node.line, "\(title(key)) must be written [[\(key)]] for each table")
        return nil
      }
      return TOMLTable(entries, name: "[[\(key)]]", line: node.line, diagnostics: diagnostics)
    }
  }

  // MARK: Errors

  /// The file and the line number of the table, for messages.
  package var location: ConfigurationLocation { ConfigurationLocation(file: diagnostics.file, line: line) }

  /// Returns the file and the line number of a value that was read from the table, for messages.
  package func location<Value>(of found: Located<Value>) -> ConfigurationLocation {
    ConfigurationLocation(file: diagnostics.file, line: found.line)
  }

  /// Reads the value of a key with the function `read`. Reports an error if the key is missing.
  package func required<Value>(_ key: String, _ read: (String) -> Value?) -> Value? {
    defer { require(key) }
    return read(key)
  }

  /// Reports an error if a key is missing. An invalid value, which was already reported, does not count as missing.
  package func require(_ key: String) {
    guard !entries.contains(where: { $0.key == key }) else { return }
    diagnostics.report(
      name.isEmpty ? nil : line, "\(name.isEmpty ? "the file" : name) needs \(quoted(key))")
  }

  /// Returns `found` if `fault` accepts its value. Otherwise reports an error, and returns nil.
  /// - Parameter fault: Returns nil for a valid value. Otherwise returns the rest of a sentence that begins with the
  ///   key, as in `is empty`.
  func checked<Value>(_ key: String, _ found: Located<Value>?, _ fault: (Value) -> String?) -> Located<Value>? {
    guard let found, let fault = fault(found.value) else { return found }
    reject(key, fault)
    return nil
  }

  private func checked<Value: Comparable>(
    _ key: String, _ found: Located<Value>?, in range: ClosedRange<Value>
  ) -> Located<Value>? {
    checked(key, found) {
      range.contains($0) ? nil : "is \($0), but must be \(range.lowerBound)...\(range.upperBound)"
    }
  }

  /// Reads the value of a key as a text, and parses the text. If `parse` returns nil, an error with the rule is
  /// reported.
  /// - Parameter rule: The description of a valid text in the error message.
  package func parsed<Value>(_ key: String, rule: String, _ parse: (String) -> Value?) -> Located<Value>? {
    guard let text = string(key) else { return nil }
    if let value = parse(text.value) { return Located(value: value, line: text.line) }
    reject(key, "is \(quoted(text.value)), but must be \(rule)")
    return nil
  }

  /// Reports an error in the value of a key.
  /// - Parameters:
  ///   - wrong: The line number of the error; nil for the line of the value, or of the table if the key is missing.
  ///   - fault: The rest of a sentence that begins with the key, as in `is empty`.
  package func reject(_ key: String, line wrong: Int? = nil, _ fault: String) {
    diagnostics.report(wrong ?? node(key)?.line ?? line, "\(title(key)) \(fault)")
  }

  /// Reports an error in the table as a whole.
  /// - Parameter fault: The rest of a sentence that begins with the name of the table, as in `needs 'line'`.
  package func reject(_ fault: String) { diagnostics.report(line, "\(name) \(fault)") }

  /// Reports an error if the table contains `key`, but not the key `other`, which `key` needs.
  package func require(_ other: String, with key: String) {
    if has(key), !has(other) { reject(key, "needs '\(other)'") }
  }

  /// Ends the reading of the table: each key that was never read is reported as an unknown key.
  package func finish() {
    for entry in entries where !known.contains(entry.key) {
      let suggestion = DiagnosticText.suggestion(for: entry.key, among: known)
      diagnostics.report(
        entry.line,
        "unknown key \(title(entry.key))"
          + (suggestion.isEmpty ? " (known: \(known.joined(separator: ", ")))" : suggestion))
    }
  }

  /// Returns the name of a key with its table for error messages, as in `'id' in [[app]]`.
  package func title(_ key: String) -> String {
    quoted(key) + (name.isEmpty ? "" : " in \(name)")
  }

  private func entry(_ key: String) -> TOMLEntry? {
    if !known.contains(key) { known.append(key) }
    return entries.first { $0.key == key }
  }

  private func value<Value>(_ key: String, _ kind: String, _ read: (TOMLNode) -> Value?) -> Located<Value>? {
    guard let entry = entry(key) else { return nil }
    guard let value = read(entry.value) else {
      diagnostics.report(entry.value.line, "\(title(key)) must be \(kind), not \(entry.value.kind)")
      return nil
    }
    return Located(value: value, line: entry.value.line)
  }

  private func array<Value>(_ key: String, of kind: String, _ read: (TOMLNode) -> Value?) -> [Located<Value>]? {
    guard let entry = entry(key) else { return nil }
    guard case .array(let nodes) = entry.value.content else {
      diagnostics.report(entry.value.line, "\(title(key)) must be an array of \(kind), not \(entry.value.kind)")
      return nil
    }
    var values: [Located<Value>] = []
    for node in nodes {
      guard let value = read(node) else {
        diagnostics.report(node.line, "\(title(key)) must be an array of \(kind), but has \(node.kind) in it")
        return nil
      }
      values.append(Located(value: value, line: node.line))
    }
    return values
  }
}

extension String {
  fileprivate var hasControlCharacters: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
