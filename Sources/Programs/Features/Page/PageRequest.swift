/// An HTTP request of a browser to the web page for the gateway's owners, with the values that the server uses.
package struct PageRequest: Sendable {
  package var method: String
  package var target: String
  /// The headers. Their names are not case-sensitive, and a name can occur several times.
  package var headers: [(name: String, value: String)]

  package init(method: String, target: String, headers: [(name: String, value: String)]) {
    self.method = method
    self.target = target
    self.headers = headers
  }

  /// Returns the value of a header; nil if the header is missing or occurs several times.
  /// - Parameter name: The name of the header in lower case.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name.lowercased() == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// The token in the header `Authorization: Bearer`; nil if the request has no token, or a token that is not base64url
  /// of 32 bytes.
  package var token: PageToken? {
    guard let value = header("authorization"), value.prefix(7).lowercased() == "bearer " else { return nil }
    return PageToken(offered: value.dropFirst(7))
  }
}

/// The file or the function that a browser requests.
package enum PageRoute: Hashable, Sendable {
  /// A public file without data of the gateway.
  case file(PageFile)
  /// Opens a link and returns the token of a new session.
  case open
  /// Streams the complete state of the gateway, and then its changes.
  case events
  /// Performs a command of an owner.
  case verb
  /// Returns the privacy report.
  case report
  /// Extends the session, because a user uses the page.
  case present
  /// Ends the session.
  case leave

  /// Whether a user action caused the request. Only the request `events` is sent automatically by the page.
  package var isUserAction: Bool { self != .events }
}

/// The reason why a request fails. The raw value is the HTTP status.
package enum PageRefusal: Int, Error, Hashable, Sendable {
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case tooLarge = 413
  case misdirected = 421
  case headersTooLarge = 431
  case unavailable = 503

  /// The additional headers of the response with this status. (RFC 9110 §15.5.2, §15.5.6)
  package var headers: [(name: String, value: String)] {
    switch self {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .methodNotAllowed: [("Allow", "GET, POST")]
    case .badRequest, .forbidden, .notFound, .tooLarge, .misdirected, .headersTooLarge, .unavailable: []
    }
  }
}

/// The host names and the origins of the web page for the gateway's owners. A request is refused if it does not contain
/// one of the host names.
package struct PageIdentity: Hashable, Sendable {
  /// The names of the loopback interface in the addresses of the page. No owner of a DNS name can point one of these
  /// names to another server: two of the names are IP addresses, and `localhost` is reserved. (RFC 6761 §6.3)
  private static let names = ["127.0.0.1", "localhost", "[::1]"]

  private let hosts: [String]

  package init(port: Int) {
    // Browsers omit port 80 in the header `Host`, because 80 is the default port of HTTP.
    hosts = Self.names.map { port == 80 ? $0 : "\($0):\(port)" }
  }

  /// The host in the links to the page.
  package var host: String { hosts[0] }

  /// The origin in the links to the page.
  package var origin: String { Self.origin(of: host) }

  private static func origin(of host: String) -> String { "http://\(host)" }

  /// Returns the route of a request. The function refuses unknown targets, wrong methods, and also:
  /// - A request with another host name in its header `Host` (421, misdirected request). The owner of a DNS name could
  ///   point this name to the address of the page.
  /// - A request that reads data or executes a command, if it comes from a different page (403). Browsers send the
  ///   origin of the requesting page in the header `Origin`. This origin must contain the host in the header `Host`.
  package func route(_ request: PageRequest) throws(PageRefusal) -> PageRoute {
    guard let host = request.header("host")?.lowercased(), hosts.contains(host) else { throw .misdirected }
    let file = PageFile(rawValue: request.target).map { PageRoute.file($0) }
    guard let found = file ?? Self.routes[request.target] else { throw .notFound }
    guard request.method == (found.isPublic ? "GET" : "POST") else { throw .methodNotAllowed }
    if !found.isPublic, request.header("origin") != Self.origin(of: host) { throw .forbidden }
    return found
  }

  private static let routes: [String: PageRoute] = [
    "/open": .open, "/events": .events, "/verb": .verb, "/report": .report, "/present": .present, "/leave": .leave,
  ]
}

extension PageRoute {
  fileprivate var isPublic: Bool { if case .file = self { true } else { false } }
}
