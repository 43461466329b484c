internal import CTOML

/// A value of a TOML file, with its line number.
package struct TOMLNode: Hashable {
  package enum Content: Hashable {
    /// The keys and values of a table, in the order of the file.
    case table([TOMLEntry])
    case array([TOMLNode])
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time or both. No configuration key has this type.
    case moment
  }

  package var content: Content
  /// The line number in the file, from 1.
  package var line: Int

  /// The type of the value for error messages, as in `an integer`.
  var kind: String {
    switch content {
    case .table: "a table"
    case .array: "an array"
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a decimal number"
    case .boolean: "true or false"
    case .moment: "a date or time"
    }
  }
}

/// A key of a TOML table, with its value.
package struct TOMLEntry: Hashable {
  var key: String
  var line: Int
  /// The column of the key, counted in code points from 1.
  var column: Int
  var value: TOMLNode
}

extension TOMLNode {
  /// Parses the contents of a TOML file. The result is the root table.
  /// - Throws: `ConfigurationError` with the first syntax error, after which the parser cannot continue.
  init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    // SAFETY: the document is freed after all texts have been copied.
    let document = unsafe bytes.withUnsafeBytes { buffer in
      unsafe onefix_toml_parse(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
    }
    guard let document = unsafe document else {
      throw ConfigurationError(file: file, "cannot parse the file: out of memory")
    }
    defer { unsafe onefix_toml_free(document) }
    var location = onefix_toml_location()
    if let error = unsafe onefix_toml_error(document, &location) {
      let message = DiagnosticText.plain(unsafe String(cString: error))
      throw ConfigurationError(
        file: file, line: location.line == 0 ? nil : Int(location.line), message + TOMLNode.remedy(message))
    }
    var index = 0
    self = unsafe TOMLNode.read(document, &index).value
  }

  /// Returns the remedy for a message of the parser, in parentheses; empty if the remedy is unknown.
  private static func remedy(_ message: String) -> String {
    let rule = "a text needs a quote at both ends, as in mode = \"0640\")"
    // The parser reports a missing quote in these words.
    let reports = ["determine value type", " string: unescaped control", "literal string: control"]
    if reports.contains(where: { message.contains($0) }) { return " (\(rule)" }
    return message.contains("leading zeroes") ? " (a number begins with no zero; \(rule)" : ""
  }

  /// Reads a value and its children from the C parser, and moves the index behind the children. The C code limits the
  /// depth of the recursion.
  private static func read(_ document: OpaquePointer, _ index: inout Int) -> TOMLEntry {
    let node = unsafe onefix_toml_node_at(document, index)
    index += 1
    func children() -> [TOMLEntry] {
      var children: [TOMLEntry] = []
      while unsafe index < node.end { children.append(unsafe read(document, &index)) }
      return children
    }
    let content: Content
    switch unsafe node.type {
    case ONEFIX_TOML_TABLE:
      content = .table(children().sorted { ($0.line, $0.column) < ($1.line, $1.column) })
    case ONEFIX_TOML_ARRAY: content = .array(children().map(\.value))
    case ONEFIX_TOML_STRING: content = .string(unsafe text(node.string, node.string_length))
    case ONEFIX_TOML_INTEGER: content = unsafe .integer(node.integer)
    case ONEFIX_TOML_FLOAT: content = unsafe .float(node.number)
    case ONEFIX_TOML_BOOLEAN: content = unsafe .boolean(node.boolean)
    default: content = .moment
    }
    return unsafe TOMLEntry(
      key: text(node.key, node.key_length), line: Int(node.key_location.line), column: Int(node.key_location.column),
      value: TOMLNode(content: content, line: Int(node.location.line)))
  }

  private static func text(_ bytes: UnsafePointer<CChar>?, _ length: Int) -> String {
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: unsafe bytes == nil ? 0 : length)
    return unsafe String(decoding: buffer, as: UTF8.self)
  }
}
