import Configuration

/// The settings of the tables `[[listen]]`: network addresses for apps, and Unix sockets for one app each.
struct ListenFeature: ConfiguredFeature {
  static let table = "listen"
  static let reloadedKeys: Set<String> = ["app"]

  let listeners: [NetworkListener]
  let sockets: [AppSocket]

  var claims: [Claim] { listeners.map { Claim($0.endpoint, at: $0.location) } }

  var proofs: Set<AppProof> {
    Set(listeners.flatMap { $0.tls?.clientCA == nil ? [.key] : [.key, .certificate] })
  }

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let tables = root.tables(Self.table)
    listeners = root.distinct(
      tables.filter { $0.lines["socket"] == nil }.compactMap { NetworkListener(reading: $0) },
      by: { $0.endpoint.isAnyPort ? nil : $0.endpoint }, line: \.location.line, name: { _ in "the address" })
    sockets = root.distinct(
      tables.filter { $0.lines["socket"] != nil }.compactMap { Self.socket(in: $0, apps: configuration.apps) },
      by: \.path, line: \.location.line, name: \.path)
    if listeners.isEmpty && sockets.isEmpty { return nil }
  }

  /// Reads a table `[[listen]]` with a Unix socket for one app. The result is nil if the table is invalid. Each error
  /// is reported.
  private static func socket(in table: TOMLTable, apps known: [AppConfiguration]) -> AppSocket? {
    defer { table.finish() }
    let socket = table.socketPath("socket")
    let app = table.required("app", table.string)
    guard !table.has("address") else {
      table.reject("has 'address' and 'socket', but must have only one")
      return nil
    }
    guard let socket, let app, let id = known.app(atSocket: app, in: table) else { return nil }
    return AppSocket(path: socket.value, app: id, takesRequests: true, location: table.location(of: socket))
  }
}

/// The settings of one table `[[listen]]` with a network address.
struct NetworkListener: Hashable {
  /// The IPv4 or IPv6 address, without brackets.
  let host: String
  /// The TCP port; 0 for any free port.
  let port: Int
  let location: ConfigurationLocation
  /// The TLS settings; nil for a listener without encryption, which is possible only on a loopback address.
  let tls: TLS?

  struct TLS: Hashable {
    /// The path of the gateway's certificate, with its chain of certificates.
    let certificate: String
    let privateKey: String
    /// The path of the certificate authority that signs the certificates of apps; nil if apps authenticate without
    /// certificates.
    let clientCA: String?
    fileprivate let lines: [String: Int]
    fileprivate let file: String

    /// Returns the file and the text line of the configuration key that names a PEM file.
    func location(of path: String) -> ConfigurationLocation {
      ConfigurationLocation(file: file, line: lines[path])
    }
  }

  var endpoint: ListenEndpoint { .address(host: host, port: port) }

  fileprivate init?(reading table: TOMLTable) {
    defer { table.finish() }
    let isEncrypted = NetworkListener.TLS.keys.contains { table.has($0) }
    tls = isEncrypted ? TLS(reading: table) : nil
    let rule = "an address and a port, as in '127.0.0.1:7447' or '[::1]:7447'"
    let written = table.required("address") { table.parsed($0, rule: rule) { ListenEndpoint(address: $0) } }
    guard let written, case .address(let host, let port) = written.value else { return nil }
    guard isEncrypted || ListenEndpoint.isLoopback(host) else {
      table.reject(
        "address",
        "is not a loopback address and uses no TLS, so others could read each fix "
          + "(add 'certificate' and 'private_key', or listen on '127.0.0.1' or '[::1]')")
      return nil
    }
    self.host = host
    self.port = port
    location = table.location(of: written)
  }
}

extension NetworkListener.TLS {
  var files: [String] { [certificate, privateKey, clientCA].compactMap(\.self) }

  fileprivate static let keys = ["certificate", "private_key", "client_ca"]

  fileprivate init?(reading table: TOMLTable) {
    let found = Self.keys.map { table.path($0) }
    for key in Self.keys.prefix(2) { table.require(key) }
    guard let certificate = found[0], let privateKey = found[1] else { return nil }
    self.certificate = certificate.value
    self.privateKey = privateKey.value
    clientCA = found[2]?.value
    lines = Dictionary(found.compactMap { $0 }.map { ($0.value, $0.line) }) { first, _ in first }
    file = table.diagnostics.file
  }
}
