import Glibc

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
    guard let (host, port) = ListenSettings.parts(of: written.value) else {
      table.reject(
        "address", written,
        "is \(DiagnosticText.quoted(written.value)), but must be an address and a port, as in "
          + "'127.0.0.1:7447' or '[::1]:7447'"
      )
      return nil
    }
    guard isEncrypted || ListenSettings.isLoopback(host) else {
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

  static func parts(of text: String) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits)
    else { return nil }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inner = String(host.dropFirst().dropLast())
      return ipv6(inner) == nil ? nil : (inner, Int(port))
    }
    return ipv4(String(host)) == nil ? nil : (String(host), Int(port))
  }

  /// Whether an address is a loopback address: 127.0.0.0/8 (RFC 1122 §3.2.1.3) or ::1 (RFC 4291 §2.5.3).
  static func isLoopback(_ host: String) -> Bool {
    if let bytes = ipv4(host) { return bytes[0] == 127 }
    return ipv6(host) == Array(repeating: 0, count: 15) + [1]
  }

  /// The loopback addresses to which `localhost` stands. (RFC 6761 §6.3)
  package static let loopbackHosts = ["127.0.0.1", "::1"]

  static func isIPv6(_ text: String) -> Bool { ipv6(text) != nil }

  private static func ipv4(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET, count: 4) }

  private static func ipv6(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET6, count: 16) }

  private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: `inet_pton` writes an address of the family, and `bytes` has the length of such an address.
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
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
