/// The settings of a `[[listen]]` with an address: a network listener for apps.
package struct ListenSettings: Hashable, Sendable {
  /// The IPv4 or IPv6 address of the listener, without brackets.
  package var host: String
  /// The port; 0 for any free port.
  package var port: Int
  package var location: ConfigurationLocation
  /// The TLS settings; nil for connections without encryption, which are permitted only on a loopback address.
  package var tls: TLS?

  /// The PEM files that the listener needs for TLS.
  package struct TLS: Hashable, Sendable {
    /// The certificate chain of the gateway.
    package var certificate: String
    package var privateKey: String
    /// The authority that signs the apps' client certificates; nil if the listener does not accept client certificates.
    package var clientCA: String?
    fileprivate var lines: [String: Int]
    fileprivate var file: String

    /// Returns the location of the configuration key whose value is the given path of a PEM file.
    package func location(of path: String) -> ConfigurationLocation {
      ConfigurationLocation(file: file, line: lines[path])
    }
  }

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let isEncrypted = ListenSettings.TLS.keys.contains { table.node($0) != nil }
    tls = isEncrypted ? TLS(reading: table) : nil
    let written = table.string("address")
    table.require("address")
    guard let written else { return nil }
    guard case .address(let host, let port)? = ListenEndpoint(address: written.value) else {
      table.reject(
        "address", written,
        "is \(DiagnosticText.quoted(written.value)), but must be an address and a port, as in "
          + "'127.0.0.1:7447' or '[::1]:7447'"
      )
      return nil
    }
    guard isEncrypted || ListenEndpoint.isLoopback(host) else {
      table.reject(
        "address", written,
        "is not a loopback address and uses no TLS, so others could read each fix "
          + "(add 'certificate' and 'private_key', or listen on '127.0.0.1' or '[::1]')")
      return nil
    }
    self.host = host
    self.port = port
    location = table.location(of: written)
  }

  /// Parses each `[[listen]]` with an address. Reports two listeners with the same address as an error.
  static func all(in tables: [TOMLTable]) -> [ListenSettings] {
    var found: [ListenSettings] = []
    for table in tables {
      guard let settings = ListenSettings(reading: table) else { continue }
      if let first = found.first(where: { $0.host == settings.host && $0.port == settings.port && $0.port != 0 }) {
        table.diagnostics.report(
          settings.location.line, "the address is configured twice (first in line \(first.location.line ?? 0))")
      } else {
        found.append(settings)
      }
    }
    return found
  }
}

extension ListenSettings.TLS {
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
