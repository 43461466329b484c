import Glibc

/// What a `[[listen]]` says: an address where apps connect over a network.
package struct ListenSettings: Hashable, Sendable {
  /// An address of IPv4, or of IPv6 without its brackets.
  package var host: String
  /// 0 is any that is free.
  package var port: Int
  package var place: Place
  /// Nil where lines go as they are, on loopback alone.
  package var tls: TLS?

  /// The files that TLS needs, in PEM form.
  package struct TLS: Hashable, Sendable {
    /// The gateway's own, and those that lead to its root.
    package var certificate: String
    package var privateKey: String
    /// Whose certificates apps may show; nil where none may.
    package var clientCA: String?
    fileprivate var lines: [String: Int]
    fileprivate var file: String

    /// Where a file is named.
    package func place(of path: String) -> Place { Place(file: file, line: lines[path]) }
  }

  /// Nil where it cannot be used; what is wrong is reported.
  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let isEncrypted = ListenSettings.TLS.keys.contains { table.node($0) != nil }
    tls = isEncrypted ? TLS(reading: table) : nil
    let written = table.string("address")
    table.need("address")
    guard let written else { return nil }
    guard let (host, port) = ListenSettings.parts(of: written.value) else {
      table.refuse(
        "address", written,
        "is \(Wording.quoted(written.value)), but must be an address and a port, as in '127.0.0.1:7447' or '[::1]:7447'"
      )
      return nil
    }
    guard isEncrypted || ListenSettings.isLoopback(host) else {
      table.refuse(
        "address", written,
        "is off loopback, where what apps are told could be read on the way without TLS "
          + "(give 'certificate' and 'private_key', or listen on '127.0.0.1' or '[::1]')")
      return nil
    }
    self.host = host
    self.port = port
    place = Place(file: table.diagnostics.file, line: written.line)
  }

  /// Each address once.
  static func all(in root: TOMLTable) -> [ListenSettings] {
    var found: [ListenSettings] = []
    for table in root.tables("listen") {
      guard let settings = ListenSettings(reading: table) else { continue }
      if let first = found.first(where: { $0.host == settings.host && $0.port == settings.port && $0.port != 0 }) {
        root.diagnostics.report(
          settings.place.line, "this address is listened on twice (first in line \(first.place.line ?? 0))")
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

  /// Nobody else hears what is said to 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1 (RFC 4291 §2.5.3).
  static func isLoopback(_ host: String) -> Bool {
    if let bytes = ipv4(host) { return bytes[0] == 127 }
    return ipv6(host) == Array(repeating: 0, count: 15) + [1]
  }

  static func isIPv6(_ text: String) -> Bool { ipv6(text) != nil }

  private static func ipv4(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET, count: 4) }

  private static func ipv6(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET6, count: 16) }

  private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    // An address of the family has as many bytes.
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}

extension ListenSettings.TLS {
  fileprivate static let keys = ["certificate", "private_key", "client_ca"]

  /// Nil where a file is not named that is needed, which is reported.
  fileprivate init?(reading table: TOMLTable) {
    let found = Self.keys.map { table.path($0) }
    for key in Self.keys.prefix(2) { table.need(key) }
    guard let certificate = found[0], let privateKey = found[1] else { return nil }
    self.certificate = certificate.value
    self.privateKey = privateKey.value
    clientCA = found[2]?.value
    lines = Dictionary(found.compactMap { $0 }.map { ($0.value, $0.line) }) { first, _ in first }
    file = table.diagnostics.file
  }
}
