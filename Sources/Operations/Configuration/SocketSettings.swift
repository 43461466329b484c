package import Authorization

/// The settings of a `[[listen]]` with a Unix socket: the socket of one app. In a container that has only this socket,
/// every program is either this app or no app.
package struct SocketSettings: Hashable, Sendable {
  package var path: String
  package var app: AppID
  package var location: ConfigurationLocation

  /// - Parameter known: the configured apps.
  init?(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    let socket = table.socketPath("socket")
    let app = table.string("app")
    table.require("app")
    guard table.node("address") == nil else {
      _ = table.string("address")
      table.diagnostics.report(table.line, "\(table.name) has 'address' and 'socket', but must have only one")
      return nil
    }
    guard let socket, let app, let found = known.app(named: app, in: table) else { return nil }
    guard found.identity != nil else {
      table.diagnostics.report(
        app.line,
        "app \(DiagnosticText.quoted(app.value)) has no 'uid' or 'unit' (a client of a socket is identified by its user "
          + "or its unit)")
      return nil
    }
    path = socket.value
    self.app = found.id
    location = table.location(of: socket)
  }

  /// Parses each `[[listen]]` with a socket. Reports two listeners with the same socket as an error.
  static func all(in tables: [TOMLTable], apps: [AppConfiguration]) -> [SocketSettings] {
    var found: [SocketSettings] = []
    for table in tables {
      guard let settings = SocketSettings(reading: table, apps: apps) else { continue }
      if let first = found.first(where: { $0.path == settings.path }) {
        table.diagnostics.report(
          settings.location.line, "\(settings.path) is configured twice (first in line \(first.location.line ?? 0))")
      } else {
        found.append(settings)
      }
    }
    return found
  }
}

extension [AppConfiguration] {
  /// Returns the app with an id. Reports an error if no app has this id.
  package func app(named name: Located<String>, in table: TOMLTable) -> AppConfiguration? {
    if let app = first(where: { $0.id.name == name.value }) { return app }
    table.diagnostics.reportUnknownApp(name.value, line: name.line, among: self)
    return nil
  }
}

extension Diagnostics {
  /// Reports that no configured app has an id, with a suggestion.
  func reportUnknownApp(_ id: String, line: Int?, among known: [AppConfiguration]) {
    report(
      line,
      "no [[app]] has the id \(DiagnosticText.quoted(id))"
        + DiagnosticText.suggestion(for: id, among: known.map(\.id.name)))
  }
}
