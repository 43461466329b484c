package import Authorization
package import GPSDProtocol
import OperatingSystem

/// The settings of an `[[nmea]]`: a listener for programs that read NMEA sentences, and the app to which these programs
/// belong.
package struct NMEASettings: Hashable, Sendable {
  /// The address or the socket to which programs connect.
  package enum Endpoint: Hashable, Sendable {
    /// An IPv4 or IPv6 loopback address, without brackets, and a port. If the port is 0, the system chooses a free port.
    case address(host: String, port: Int)
    /// The path of a Unix socket.
    case socket(String)
  }

  package var endpoint: Endpoint
  package var app: AppID
  /// The sentences of an epoch, in the order in which they are sent.
  package var sentences = NMEASentence.usual
  package var location: ConfigurationLocation

  /// Parses an `[[nmea]]`. Returns nil if the table is invalid. Reports every error to the table's diagnostics.
  /// - Parameter known: the configured apps.
  init?(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    let found = NMEASettings.endpoint(in: table)
    let app = table.string("app")
    table.require("app")
    sentences = NMEASettings.sentences(in: table) ?? sentences
    guard let found, let app, let id = NMEASettings.app(app, of: known, at: found.value, in: table) else { return nil }
    endpoint = found.value
    self.app = id
    location = table.location(of: found)
  }

  /// Parses every `[[nmea]]` of a file. Reports two listeners with the same address or the same socket as an error.
  static func all(in root: TOMLTable, apps: [AppConfiguration]) -> [NMEASettings] {
    var found: [NMEASettings] = []
    for table in root.tables("nmea") {
      guard let settings = NMEASettings(reading: table, apps: apps) else { continue }
      if let first = found.first(where: { $0.endpoint == settings.endpoint && !settings.endpoint.isAnyPort }) {
        root.diagnostics.report(
          settings.location.line,
          "\(settings.endpoint) is configured twice (first in line \(first.location.line ?? 0))")
      } else {
        found.append(settings)
      }
    }
    return found
  }

  private static func endpoint(in table: TOMLTable) -> Located<Endpoint>? {
    let (address, socket) = (table.string("address"), table.socketPath("socket"))
    switch (table.node("address"), table.node("socket")) {
    case (_?, _?):
      table.diagnostics.report(table.line, "\(table.name) has 'address' and 'socket', but must have only one")
      return nil
    case (nil, nil):
      table.diagnostics.report(table.line, "\(table.name) needs 'socket' or 'address'")
      return nil
    case (nil, _?): return socket.map { Located(value: .socket($0.value), line: $0.line) }
    case (_?, nil):
      guard let address else { return nil }
      guard let (host, port) = ListenSettings.parts(of: address.value), ListenSettings.isLoopback(host) else {
        table.reject(
          "address", address,
          "is \(DiagnosticText.quoted(address.value)), but must be a loopback address, where the kernel identifies the "
            + "client's user, as in '127.0.0.1:10121' or '[::1]:10121'")
        return nil
      }
      return Located(value: .address(host: host, port: port), line: address.line)
    }
  }

  /// Returns the app of the clients. Reports an error if the kernel cannot identify the clients as this app.
  private static func app(
    _ name: Located<String>, of known: [AppConfiguration], at endpoint: Endpoint, in table: TOMLTable
  ) -> AppID? {
    guard let app = known.app(named: name, in: table) else { return nil }
    switch (endpoint, app.identity) {
    case (.address, .uid), (.address, .unknownUser), (.socket, _?): return app.id
    case (.address, .unit), (.address, nil):
      table.diagnostics.report(
        name.line,
        "app \(DiagnosticText.quoted(name.value)) has no 'uid' (a client at an address is identified by its user)")
    case (.socket, nil):
      table.diagnostics.report(
        name.line,
        "app \(DiagnosticText.quoted(name.value)) has no 'uid' or 'unit' (a client of a socket is identified by its "
          + "user or its unit)")
    }
    return nil
  }

  private static func sentences(in table: TOMLTable) -> [NMEASentence]? {
    guard let names = table.strings("sentences") else { return nil }
    let known = NMEASentence.allCases.map(\.rawValue)
    var found: [NMEASentence] = []
    for name in names {
      guard let sentence = NMEASentence(rawValue: name.value) else {
        table.reject(
          "sentences", name,
          "has \(DiagnosticText.quoted(name.value)), but must have only \(DiagnosticText.alternatives(known))"
            + DiagnosticText.suggestion(for: name.value, among: known))
        continue
      }
      if found.contains(sentence) {
        table.reject("sentences", name, "has \(DiagnosticText.quoted(name.value)) twice")
      } else {
        found.append(sentence)
      }
    }
    if names.isEmpty, let node = table.node("sentences") {
      table.diagnostics.report(node.line, "\(table.title("sentences")) is empty")
    }
    return found
  }
}

extension NMEASettings.Endpoint: CustomStringConvertible {
  /// The address with its port, or the path of the socket.
  package var description: String {
    switch self {
    case .address(let host, let port): hostAndPort(host, port)
    case .socket(let path): path
    }
  }

  fileprivate var isAnyPort: Bool { if case .address(_, 0) = self { true } else { false } }
}
