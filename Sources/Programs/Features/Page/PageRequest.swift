/// An HTTP request of a browser for the owners' web page, without the request's body.
package struct PageRequest: Sendable {
  package var method: String
  package var target: String
  /// The header fields. Upper and lower case in a name are equal, and a name can occur several times.
  package var headers: [(name: String, value: String)]

  /// Returns the value of a header field; nil if the field is missing or occurs more than once.
  /// - Parameter name: The name of the field in lower case.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name.lowercased() == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// The token of a link or a session, from the header `Authorization: Bearer`; nil if there is no valid token.
  package var token: PageToken? {
    guard let value = header("authorization"), value.prefix(7).lowercased() == "bearer " else { return nil }
    return PageToken(offered: value.dropFirst(7))
  }
}

/// The target of a request to the owners' web page: a file, or a function of the server.
package enum PageRoute: Hashable, Sendable {
  /// A static file without secrets, which any program on this machine may read.
  case file(PageFile)
  /// Exchanges the token of a one-time link for the token of a new session.
  case open
  /// Streams the present state of the gateway, and then each change.
  case events
  /// Executes the owner's command in the request's body.
  case verb
  /// Returns the privacy report: which app got which location, and when.
  case report
  /// Extends the session, because the user has just used the page.
  case present
  case leave

  /// Whether the user, and not the page itself, causes this request. The page itself sends only `events`.
  package var isUserAction: Bool { self != .events }
}

/// The HTTP status with which the server refuses a request. The raw value is the status code.
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

  /// The additional headers for a response with this status code (RFC 9110 §15.5.2, §15.5.6).
  package var headers: [(name: String, value: String)] {
    switch self {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .methodNotAllowed: [("Allow", "GET, POST")]
    case .badRequest, .forbidden, .notFound, .tooLarge, .misdirected, .headersTooLarge, .unavailable: []
    }
  }
}

/// The host names that the owners' web page accepts, with the port. The server refuses a request for any other host
/// name.
package struct PageIdentity: Hashable, Sendable {
  /// The accepted host names, which all mean this machine. Two are IP addresses, and `localhost` is reserved (RFC 6761
  /// §6.3), so no attacker can own one of these names in DNS.
  private static let names = ["127.0.0.1", "localhost", "[::1]"]

  private let hosts: [String]

  package init(port: Int) {
    // Browsers omit port 80 in the header `Host`, because 80 is the default port of HTTP.
    hosts = Self.names.map { port == 80 ? $0 : "\($0):\(port)" }
  }

  /// The host name in the links to the page, with the port.
  package var host: String { hosts[0] }

  /// The origin (scheme, host and port) in the links to the page.
  package var origin: String { Self.origin(of: host) }

  private static func origin(of host: String) -> String { "http://\(host)" }

  /// Returns the target of a request. The function refuses unknown targets, wrong methods, and also:
  /// - A request with another host name in the header `Host` (421, misdirected request). Otherwise an attacker could
  ///   let a DNS name point to the page's address.
  /// - A request for data or for a command that comes from another page (403). The header `Origin` names the page that
  ///   sends the request, so its host must be the one in the header `Host`.
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
