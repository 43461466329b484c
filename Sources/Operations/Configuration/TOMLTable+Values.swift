package import Hardware
package import LineProtocol
import OperatingSystem

/// Functions that read values which occur in several TOML tables, for example paths and blink patterns.
extension TOMLTable {
  /// Reads the value of a key as an absolute path; nil if the key is missing. Any other value is reported as an error.
  package func path(_ key: String) -> Located<String>? {
    parsed(key, rule: "a path that begins with /") { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Reads the value of a key as an absolute path in a normal form; nil if the key is missing. Two different paths in
  /// this form mean two different files, unless a folder is a symbolic link.
  private func normalPath(_ key: String) -> Located<String>? {
    checked(key, path(key)) { path in
      if path.hasSuffix("/") { return "is \(quoted(path)), but must be the path of a file, without '/' at its end" }
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      return parts.contains { ["", ".", ".."].contains($0) }
        ? "is \(quoted(path)), but must be a path without '//', '.' and '..'" : nil
    }
  }

  /// Reads the value of a key as the absolute path of a file that the daemon replaces (`AtomicFile`); nil if the key is
  /// missing. The path is in a normal form, and differs from the path of each temporary file.
  package func replacedFilePath(_ key: String) -> Located<String>? {
    checked(key, normalPath(key)) { path in
      if path.hasSuffix(".new") { return "ends with '.new', as the temporary files of the daemon do" }
      let length = path.utf8.split(separator: UInt8(ascii: "/")).last?.count ?? 0
      // The name of the temporary file, with '.new', can have 255 bytes.
      return length <= 251 ? nil : "has a name of \(length) bytes, but must have at most 251"
    }
  }

  /// Reads the value of a key as the absolute path of a Unix socket; nil if the key is missing. The path is in a normal
  /// form, so that two different paths mean two different sockets.
  package func socketPath(_ key: String) -> Located<String>? {
    checked(key, normalPath(key)) { path in
      // /var/run is a symbolic link to /run. (Filesystem Hierarchy Standard 3.0, 5.13)
      if path.hasPrefix("/var/run/") {
        return
          "is \(quoted(path)), but /var/run is a link to /run (use \(quoted(String(path.dropFirst("/var".count)))))"
      }
      let length = path.utf8.count
      return length <= SocketPath.maximumLength
        ? nil : "has \(length) bytes, but must have at most \(SocketPath.maximumLength)"
    }
  }

  /// Reads the value of a key as a blink pattern: the durations of the phases lit, dark, lit, …
  /// - Parameters:
  ///   - count: The permitted counts of phases.
  ///   - range: The permitted durations of a phase in milliseconds.
  ///   - repetitions: The count of repetitions of the pattern; nil for no end.
  package func pattern(
    _ key: String, phases count: ClosedRange<Int>, milliseconds range: ClosedRange<Int64>, repetitions: Int?
  ) -> IndicatorPattern? {
    guard let phases = integers(key) else { return nil }
    guard count.contains(phases.count) else {
      reject(
        key, line: phases.first?.line ?? line,
        "has \(phases.count) phases, but must have \(count.lowerBound)...\(count.upperBound)")
      return nil
    }
    if let wrong = phases.first(where: { !range.contains($0.value) }) {
      reject(
        key, line: wrong.line, "has a phase of \(wrong.value) ms, but must be \(range.lowerBound)...\(range.upperBound)"
      )
      return nil
    }
    return IndicatorPattern(phases: phases.map { .milliseconds($0.value) }, repetitions: repetitions)
  }

  /// Reads the value of a key as the speed of a serial port in bits per second; nil if the key is missing. Speeds that
  /// serial ports do not support are reported as an error.
  package func baud(_ key: String) -> Int? {
    checked(key, integer(key, in: .min ... .max)) { speed in
      SerialSpeed.all.contains { $0 == speed }
        ? nil : "is \(speed), but must be one of \(SerialSpeed.all.map(String.init).joined(separator: ", "))"
    }.map { Int($0.value) }
  }

  /// Reads the value of the key `address` as a loopback address with a port, as in `127.0.0.1:7447`. Returns nil if the
  /// key is missing or invalid.
  /// - Parameter rule: The description of a valid value in the error message.
  package func loopbackAddress(rule: String) -> Located<ListenEndpoint>? {
    parsed("address", rule: rule) { text in
      guard case .address(let host, let port)? = ListenEndpoint(address: text), ListenEndpoint.isLoopback(host) else {
        return nil
      }
      return .address(host: host, port: port)
    }
  }

  /// Reads the value of a key as the id of an app; nil if the key is missing. An invalid id is reported as an error.
  package func appID(_ key: String) -> Located<AppID>? {
    parsed(key, rule: AppConfiguration.idRule) { AppID($0) }
  }

  /// Returns the rows (for example, tables `[[app]]`) without duplicates. Each row whose key equals the key of an
  /// earlier row is reported as an error.
  /// - Parameters:
  ///   - key: Returns the value that must be different in each row; nil if the row may occur several times.
  ///   - line: Returns the line number of the row.
  ///   - name: Returns the name of the row for the error message.
  package func distinct<Row, Key: Equatable>(
    _ rows: [Row], by key: (Row) -> Key?, line: (Row) -> Int?, name: (Row) -> String
  ) -> [Row] {
    var found: [Row] = []
    for row in rows {
      if let value = key(row), let first = found.first(where: { key($0) == value }) {
        diagnostics.report(line(row), "\(name(row)) is configured twice (first in line \(line(first) ?? 0))")
      } else {
        found.append(row)
      }
    }
    return found
  }

  /// Returns the app ids in the key `app` of the table `[key]`, or of all tables `[[key]]`. Errors are not reported
  /// here.
  func apps(inTables key: String) -> [AppID] {
    guard let found = entries.first(where: { $0.key == key })?.value else { return [] }
    let nodes = if case .array(let nodes) = found.content { nodes } else { [found] }
    return nodes.compactMap { node in
      guard case .table(let entries) = node.content,
        case .string(let id)? = entries.first(where: { $0.key == "app" })?.value.content
      else { return nil }
      return AppID(id)
    }
  }
}

extension [AppConfiguration] {
  /// Returns the configured app with this id. Reports an error and returns nil if no app has the id.
  package func app(named name: Located<String>, in table: TOMLTable) -> AppConfiguration? {
    if let app = first(where: { $0.id.name == name.value }) { return app }
    table.diagnostics.reportUnknownApp(name.value, line: name.line, among: self)
    return nil
  }

  /// Checks that the app with this id can use a Unix socket, and returns the id. Reports an error and returns nil if
  /// the app does not exist, or has no user and no systemd unit.
  package func app(atSocket name: Located<String>, in table: TOMLTable) -> AppID? {
    guard let app = app(named: name, in: table) else { return nil }
    if app.identity != nil { return app.id }
    table.diagnostics.report(
      name.line,
      "app \(quoted(name.value)) has no 'uid' or 'unit' (a client of a socket is identified by its user "
        + "or its unit)")
    return nil
  }

  /// Checks that the app with this id can get its fixes through an output, for example a file, and returns the id.
  /// Reports an error and returns nil if the app does not exist or is a display.
  /// - Parameter output: The kind of the output for the error message, as in `a file`.
  package func output(named name: Located<String>, to output: String, in table: TOMLTable) -> AppID? {
    guard let app = app(named: name, in: table) else { return nil }
    guard app.surface == .display else { return app.id }
    table.diagnostics.report(
      name.line,
      "\(quoted(name.value)) is a display, which cannot get its fixes through \(output): the gateway "
        + "cannot detect whether the display is connected")
    return nil
  }
}

extension Diagnostics {
  /// Reports an error about an unknown app id, with the most similar id as a suggestion.
  package func reportUnknownApp(_ id: String, line: Int?, among known: [AppConfiguration]) {
    report(
      line,
      "no [[app]] has the id \(quoted(id))"
        + DiagnosticText.suggestion(for: id, among: known.map(\.id.name)))
  }
}
