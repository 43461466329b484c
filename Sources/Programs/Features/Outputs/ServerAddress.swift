import Configuration

/// The beginning of a URL, without path and query, as in `https://maps.example.org:8443`.
struct ServerAddress: Hashable, Sendable {
  /// The two URL schemes of a protocol, as in `http` and `https`, each with its default port.
  struct Schemes: Sendable {
    var plain: (name: String, port: Int)
    var encrypted: (name: String, port: Int)

    static let mqtt = Schemes(plain: ("mqtt", 1883), encrypted: ("mqtts", 8883))
    static let http = Schemes(plain: ("http", 80), encrypted: ("https", 443))
  }

  let isEncrypted: Bool
  /// The host name in lower case, or the IP address. An IPv6 address has its shortest form, without brackets.
  let host: String
  let port: Int

  /// Parses the URL of a server. The result is nil if the URL has a path or a user, or if the text is not a URL.
  init?(_ text: some StringProtocol, _ schemes: Schemes) {
    let found = [(schemes.plain, false), (schemes.encrypted, true)].first { text.hasPrefix("\($0.0.name)://") }
    guard let ((name, defaultPort), isEncrypted) = found else { return nil }
    var host = String(text.dropFirst(name.count + "://".count))
    var port = defaultPort
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      let digits = host[host.index(after: colon)...]
      guard digits.hasOnlyDigits, let number = UInt16(digits), number > 0 else { return nil }
      (host, port) = (String(host[..<colon]), Int(number))
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      guard let address = ListenEndpoint.ipv6(String(host.dropFirst().dropLast())) else { return nil }
      host = address
    } else {
      guard (1...253).contains(host.utf8.count), host.hasOnlyLetters(".-_") else { return nil }
    }
    (self.isEncrypted, self.host, self.port) = (isEncrypted, host.lowercased(), port)
  }

  var isLoopback: Bool { host == "localhost" || ListenEndpoint.isLoopback(host) }
}
