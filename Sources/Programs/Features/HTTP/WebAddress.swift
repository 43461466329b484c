/// A URL of a web server, as in `https://maps.example.org/pub?key=1`. The path and the query can contain a secret, for
/// example an API key.
struct WebAddress: Hashable, Sendable {
  static let longest = 2000

  let server: ServerAddress
  /// The path and the query in the first line of a request, as in `/pub?key=1`.
  let target: String

  private init(_ server: ServerAddress, _ target: String) {
    self.server = server
    self.target = target
  }

  /// Parses an HTTP or HTTPS URL. The result is nil for a URL with a user or a fragment, and for a text with spaces or
  /// non-ASCII characters.
  init?(_ text: String) {
    guard text.utf8.count <= Self.longest,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
    else { return nil }
    // A scheme in upper case is the same scheme. (RFC 3986 §3.1)
    let name = text.prefix { $0 != ":" }
    let text = name.lowercased() + text.dropFirst(name.count)
    let scheme = name.utf8.count + "://".utf8.count
    let begin = text.utf8.dropFirst(scheme).firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    guard let server = ServerAddress(text[..<(begin ?? text.endIndex)], .http) else { return nil }
    let rest = begin.map { text[$0...] } ?? ""
    self.init(server, rest.hasPrefix("/") ? String(rest) : "/" + rest)
  }

  /// The beginning of the URL, without the path and the query, as in `https://maps.example.org:8443`.
  var origin: String { (server.isEncrypted ? "https://" : "http://") + authority }

  /// The host and the port for the header field `Host`, as in `maps.example.org:8443` (RFC 9110 §7.2).
  var authority: String {
    let host = server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host)]" : server.host
    return server.port == (server.isEncrypted ? 443 : 80) ? host : "\(host):\(server.port)"
  }

  var hasQuery: Bool { target.utf8.contains(UInt8(ascii: "?")) }

  /// Returns the URL of a redirect; nil if the URL is not valid, or means another server.
  /// - Parameter location: The value of the header field `Location`: a URL, or a path that begins with `/`. The value
  ///   can have a fragment, which a client does not send. (RFC 9110 §10.2.2)
  func redirected(to location: String) -> WebAddress? {
    let text = String(decoding: location.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    let isPath = text.hasPrefix("/") && !text.hasPrefix("//")
    guard let next = WebAddress(isPath ? origin + text : text), next.server == server else { return nil }
    return next
  }
}
