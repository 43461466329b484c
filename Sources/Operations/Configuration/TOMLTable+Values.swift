package import Authorization
import Hardware
import OperatingSystem

/// The values that several tables have.
extension TOMLTable {
  /// Reads the value of a key as an absolute path.
  package func path(_ key: String) -> Located<String>? {
    guard let text = string(key) else { return nil }
    guard text.value.hasPrefix("/"), !text.value.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      reject(key, text, "is \(DiagnosticText.quoted(text.value)), but must be a path that begins with /")
      return nil
    }
    return text
  }

  /// Reads the value of a key as the absolute path of a socket. Two equal sockets have equal paths, unless a symbolic
  /// link other than `/var/run` is in them.
  package func socketPath(_ key: String) -> Located<String>? {
    guard let path = path(key) else { return nil }
    let parts = path.value.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
      reject(key, path, "is \(DiagnosticText.quoted(path.value)), but must be a path without '//', '.' and '..'")
      return nil
    }
    // /var/run is a symbolic link to /run. (Filesystem Hierarchy Standard 3.0, 5.13)
    guard !path.value.hasPrefix("/var/run/") else {
      let direct = DiagnosticText.quoted(String(path.value.dropFirst("/var".count)))
      reject(key, path, "is \(DiagnosticText.quoted(path.value)), but /var/run is a link to /run (use \(direct))")
      return nil
    }
    guard path.value.utf8.count <= SocketPath.maximumLength else {
      reject(key, path, "has \(path.value.utf8.count) bytes, but must have at most \(SocketPath.maximumLength)")
      return nil
    }
    return path
  }

  /// Parses the speed of a serial port in bits per second. Rejects a speed that serial ports do not support.
  package func baud(_ key: String) -> Int? {
    guard let found = integer(key, in: 1...1_000_000) else { return nil }
    let speed = Int(found.value)
    guard SerialSpeed.all.contains(speed) else {
      reject(
        key, found, "is \(speed), but must be one of \(SerialSpeed.all.map(String.init).joined(separator: ", "))")
      return nil
    }
    return speed
  }

  /// Reads the value of a key as the id of an app.
  package func appID(_ key: String) -> Located<AppID>? {
    guard let written = string(key) else { return nil }
    guard let id = AppID(written.value) else {
      reject(key, written, "is \(DiagnosticText.quoted(written.value)), but must be \(AppConfiguration.idRule)")
      return nil
    }
    return Located(value: id, line: written.line)
  }

  /// Returns the rows without those whose key an earlier row has, and reports these as errors.
  /// - Parameters:
  ///   - key: Returns the value that must be different in each row; nil if the row may occur several times.
  ///   - name: The value in the words of the message.
  package func distinct<Row, Key: Equatable>(
    _ rows: [Row], by key: (Row) -> Key?, at location: (Row) -> ConfigurationLocation, name: (Row) -> String
  ) -> [Row] {
    var found: [Row] = []
    for row in rows {
      if let value = key(row), let first = found.first(where: { key($0) == value }) {
        diagnostics.report(
          location(row).line, "\(name(row)) is configured twice (first in line \(location(first).line ?? 0))")
      } else {
        found.append(row)
      }
    }
    return found
  }

  /// Returns the apps in the key `app` of all tables `[[key]]`. Reports no error.
  func apps(inTables key: String) -> [AppID] {
    guard case .array(let nodes)? = entries.first(where: { $0.key == key })?.value.content else { return [] }
    return nodes.compactMap { node in
      guard case .table(let entries) = node.content,
        case .string(let id)? = entries.first(where: { $0.key == "app" })?.value.content
      else { return nil }
      return AppID(id)
    }
  }
}

extension [AppConfiguration] {
  /// Returns the app with an id. Reports an error if no app has this id.
  package func app(named name: Located<String>, in table: TOMLTable) -> AppConfiguration? {
    if let app = first(where: { $0.id.name == name.value }) { return app }
    table.diagnostics.reportUnknownApp(name.value, line: name.line, among: self)
    return nil
  }

  /// Returns the app of a Unix socket. Reports an error if no app has this id, or if the kernel cannot identify it.
  package func app(atSocket name: Located<String>, in table: TOMLTable) -> AppID? {
    guard let app = app(named: name, in: table) else { return nil }
    if app.identity != nil { return app.id }
    table.diagnostics.report(
      name.line,
      "app \(DiagnosticText.quoted(name.value)) has no 'uid' or 'unit' (a client of a socket is identified by its user "
        + "or its unit)")
    return nil
  }
}

extension Diagnostics {
  /// Reports that no configured app has an id, with a suggestion.
  package func reportUnknownApp(_ id: String, line: Int?, among known: [AppConfiguration]) {
    report(
      line,
      "no [[app]] has the id \(DiagnosticText.quoted(id))"
        + DiagnosticText.suggestion(for: id, among: known.map(\.id.name)))
  }
}
