/// An HTTP request of a browser for the web page of the owners, without its body.
package struct PageRequest: Sendable {
  package var method: String
  package var target: String
  /// The headers. Their names are not case-sensitive, and a name can occur several times.
  package var headers: [(name: String, value: String)]

  /// Returns the value of a header; nil if the header is missing, or if it occurs more than once.
  /// - Parameter name: The name of the header in lower case.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name.lowercased() == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// The token in the header `Authorization: Bearer`; nil if there is no valid token.
  package var token: PageToken? {
    guard let value = header("authorization"), value.prefix(7).lowercased() == "bearer " else { return nil }
    return PageToken(offered: value.dropFirst(7))
  }
}

/// The file or the function of the web page for the owners that a browser asks for.
package enum PageRoute: Hashable, Sendable {
  /// A static file without data of the gateway, which every program may read.
  case file(PageFile)
  /// Opens a link, and returns the token of the new session.
  case open
  /// Streams the whole state of the gateway, and then each change.
  case events
  /// Executes a command of an owner.
  case verb
  /// Returns the privacy report: which app got which location, and when.
  case report
  /// Keeps the session alive, because the user is active on the page.
  case present
  /// Ends the session.
  case leave

  /// Whether an action of the user causes this request. The page itself sends only `events`.
  package var isUserAction: Bool { self != .events }
}

/// The reason why a request is refused. The raw value is the HTTP status code.
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

/// The host names and the origins of the web page for the owners. A request for another host name is refused.
package struct PageIdentity: Hashable, Sendable {
  /// The host names of the page, all of the loopback interface. No other person can own one of them as a DNS name: two
  /// are IP addresses, and `localhost` is reserved (RFC 6761 §6.3).
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

  /// Returns the file or the function that a request asks for. The function refuses unknown targets, wrong methods, and
  /// also:
  /// - A request whose header `Host` has another host name (421, misdirected request). The owner of a DNS name could
  ///   otherwise let it point to the address of the page.
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
