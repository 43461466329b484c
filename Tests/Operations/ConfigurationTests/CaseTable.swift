import Configuration

/// The errors of a configuration, one line for each.
func faults(_ text: String) -> [String] {
  do {
    _ = try configuration(text)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// Reads the cases of a test from a table. A row has a configuration, an arrow, and the expected errors.
///
/// ` | ` is the end of a line of the configuration, ` & ` separates errors, and several spaces are one. An error that
/// begins with its line, as in `3: 'baud' is 7`, becomes the message of `file`.
func cases(_ table: String, file: String = "onefix.toml") -> [(String, [String])] {
  table.split(separator: "\n").map { row in
    let parts = row.split(separator: " ").joined(separator: " ")
      .split(separator: "→ ", omittingEmptySubsequences: false)
    let errors = (parts.count > 1 ? parts[1] : "").split(separator: " & ").map { error in
      guard error.first?.isNumber == true else { return String(error) }
      return "\(file):\(error.replacing(": ", with: ": error: ", maxReplacements: 1))"
    }
    return (String(parts[0].replacing(" | ", with: "\n")), errors)
  }
}
