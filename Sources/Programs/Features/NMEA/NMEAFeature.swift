import Configuration
import LineProtocol

/// The settings of the tables `[[nmea]]`: listeners for programs that read NMEA sentences as from a GPS receiver.
struct NMEAFeature: ConfiguredFeature {
  /// The settings of one table `[[nmea]]`: a listener, and the app whose fixes its clients receive.
  struct Reader: Hashable {
    /// The loopback address and port, or the path of the Unix socket.
    var endpoint: ListenEndpoint
    var app: AppID
    /// The types of NMEA sentences to send for each epoch (all data of one instant), in this order.
    var sentences = NMEASentence.usual
    var location: ConfigurationLocation
  }

  static let table = "nmea"
  static let reloadedKeys: Set<String> = ["app"]

  /// The settings of each table, at least one.
  let readers: [Reader]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let found = root.distinct(
      root.tables(Self.table).compactMap { Reader(reading: $0, apps: configuration.apps) },
      by: { $0.endpoint.isAnyPort ? nil : $0.endpoint }, line: \.location.line, name: { "\($0.endpoint)" })
    guard !found.isEmpty else { return nil }
    readers = found
  }

  var sockets: [AppSocket] {
    readers.compactMap { reader in
      guard case .socket(let path) = reader.endpoint else { return nil }
      return AppSocket(path: path, app: reader.app, takesRequests: false, location: reader.location)
    }
  }

  var claims: [Claim] {
    readers.compactMap { reader in
      guard case .address = reader.endpoint else { return nil }
      return Claim(reader.endpoint, at: reader.location)
    }
  }
}

extension NMEAFeature.Reader {
  /// Reads one table `[[nmea]]`. The result is nil if the table is invalid. Each error is reported.
  fileprivate init?(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    let found = Self.endpoint(in: table)
    let app = table.required("app", table.string)
    sentences = Self.sentences(in: table) ?? sentences
    guard let found, let app, let id = Self.app(app, of: known, at: found.value, in: table) else { return nil }
    endpoint = found.value
    self.app = id
    location = table.location(of: found)
  }

  private static func endpoint(in table: TOMLTable) -> Located<ListenEndpoint>? {
    let hasAddress = table.has("address")
    let socket = table.socketPath("socket")
    guard hasAddress else {
      if !table.has("socket") { table.reject("needs 'socket' or 'address'") }
      return socket.map { Located(value: .socket($0.value), line: $0.line) }
    }
    guard !table.has("socket") else {
      table.reject("has 'address' and 'socket', but must have only one")
      return nil
    }
    return table.loopbackAddress(
      rule: "a loopback address, where the kernel identifies the client's user, as in '127.0.0.1:10121' or "
        + "'[::1]:10121'")
  }

  /// Returns the app with this name. The result is nil, with a reported error, if the kernel cannot identify the app's
  /// clients at this listener.
  /// - Parameter name: The id of the app in the configuration.
  private static func app(
    _ name: Located<String>, of known: [AppConfiguration], at endpoint: ListenEndpoint, in table: TOMLTable
  ) -> AppID? {
    if case .socket = endpoint { return known.app(atSocket: name, in: table) }
    guard let app = known.app(named: name, in: table) else { return nil }
    switch app.identity {
    case .uid, .unknownUser: return app.id
    case .unit, nil:
      table.diagnostics.report(
        name.line,
        "app \(quoted(name.value)) has no 'uid' (a client at an address is identified by its user)")
      return nil
    }
  }

  private static func sentences(in table: TOMLTable) -> [NMEASentence]? {
    guard let names = table.strings("sentences") else { return nil }
    let known = NMEASentence.allCases.map(\.rawValue)
    var found: [NMEASentence] = []
    for name in names {
      guard let sentence = NMEASentence(rawValue: name.value) else {
        table.reject(
          "sentences", line: name.line,
          "has \(quoted(name.value)), but must have only \(DiagnosticText.alternatives(known))"
            + DiagnosticText.suggestion(for: name.value, among: known))
        continue
      }
      if found.contains(sentence) {
        table.reject("sentences", line: name.line, "has \(quoted(name.value)) twice")
      } else {
        found.append(sentence)
      }
    }
    if names.isEmpty { table.reject("sentences", "is empty") }
    return found
  }
}
