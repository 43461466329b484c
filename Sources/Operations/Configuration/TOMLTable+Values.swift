package import LineProtocol
package import Hardware
import OperatingSystem

/// The readers for values that several TOML tables have.
extension TOMLTable {
  /// Reads the value of a key as an absolute path; nil if the key is missing. Any other value is reported as an error.
  package func path(_ key: String) -> Located<String>? {
    parsed(key, rule: "a path that begins with /") { path in
      path.hasPrefix("/") && !path.unicodeScalars.contains(where: { $0.value < 0x20 }) ? path : nil
    }
  }

  /// Reads the value of a key as the absolute path of a Unix socket; nil if the key is missing. The path must be in a
  /// normal form, so that two different paths mean two different sockets.
  package func socketPath(_ key: String) -> Located<String>? {
    checked(key, path(key)) { path in
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      if parts.contains(where: { ["", ".", ".."].contains($0) }) {
        return "is \(quoted(path)), but must be a path without '//', '.' and '..'"
      }
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
  ///   - count: How many phases are permitted.
  ///   - range: The permitted durations of a phase in milliseconds.
  ///   - repetitions: How many times the pattern repeats; nil for no end.
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
    checked(key, integer(key, in: 1...1_000_000)) { speed in
      SerialSpeed.all.contains(Int(speed))
        ? nil : "is \(speed), but must be one of \(SerialSpeed.all.map(String.init).joined(separator: ", "))"
    }.map { Int($0.value) }
  }

  /// Reads a loopback address with a port from the key `address`.
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

  /// Returns the rows without duplicates. Each row whose key equals the key of an earlier row is reported as an error.
  /// - Parameters:
  ///   - key: Returns the value that must be different in each row; nil if the row may occur several times.
  ///   - line: Returns the line number of the row.
  ///   - name: Returns the words for the row in the error message.
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

  /// Returns the values of the key `app` in the table `[key]` or in all tables `[[key]]`. Errors are not reported here.
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
  /// Returns the app with this id. If no app has the id, reports an error and returns nil.
  package func app(named name: Located<String>, in table: TOMLTable) -> AppConfiguration? {
    if let app = first(where: { $0.id.name == name.value }) { return app }
    table.diagnostics.reportUnknownApp(name.value, line: name.line, among: self)
    return nil
  }

  /// Returns the app that a Unix socket serves. If no app has the id, or if the app has no user and no unit, reports an
  /// error and returns nil.
  package func app(atSocket name: Located<String>, in table: TOMLTable) -> AppID? {
    guard let app = app(named: name, in: table) else { return nil }
    if app.identity != nil { return app.id }
    table.diagnostics.report(
      name.line,
      "app \(quoted(name.value)) has no 'uid' or 'unit' (a client of a socket is identified by its user "
        + "or its unit)")
    return nil
  }

  /// Returns the app whose fixes an output receives. If no app has the id, or if the app cannot have an output, reports
  /// an error and returns nil.
  /// - Parameter output: The kind of the output in the message, as in `a file`.
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
  /// Reports the error that no configured app has an id, with a suggestion of a similar id.
  package func reportUnknownApp(_ id: String, line: Int?, among known: [AppConfiguration]) {
    report(
      line,
      "no [[app]] has the id \(quoted(id))"
        + DiagnosticText.suggestion(for: id, among: known.map(\.id.name)))
  }
}
