/// A request of a browser, reduced to the parts that the page uses.
package struct PageRequest: Sendable {
  /// The HTTP method, as in `GET`.
  package var method: String
  /// The request target, as in `/page.css`.
  package var target: String
  /// The headers. Names are not case-sensitive and can repeat.
  package var headers: [(name: String, value: String)]

  package init(method: String, target: String, headers: [(name: String, value: String)]) {
    self.method = method
    self.target = target
    self.headers = headers
  }

  /// Returns the value of a header. Returns nil if the header is missing or repeated.
  /// - Parameter name: the name in lower case.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name.lowercased() == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// The token of the `Authorization: Bearer` header. Nil if there is none.
  package var token: PageToken? {
    guard let value = header("authorization"), value.prefix(7).lowercased() == "bearer " else { return nil }
    return PageToken(offered: value.dropFirst(7))
  }
}

/// The destination of a request.
package enum PageRoute: Hashable, Sendable {
  /// A public file. It contains no data of the gateway.
  case file(PageFile)
  /// Opens a link, which starts a session.
  case open
  /// Streams the complete state and then its changes until the connection ends.
  case events
  case verb
  case report
  /// Keeps the session alive: a user is at the page.
  case present
  /// Ends the session.
  case leave

  /// Whether a user action causes the request. The page itself requests `events`.
  package var isUserAction: Bool { self != .events }
}

/// The reason why a request fails, as an HTTP status.
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

  /// The additional headers of the response. (RFC 9110 §15.5.2, §15.5.6)
  package var headers: [(name: String, value: String)] {
    switch self {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .methodNotAllowed: [("Allow", "GET, POST")]
    case .badRequest, .forbidden, .notFound, .tooLarge, .misdirected, .headersTooLarge, .unavailable: []
    }
  }
}

/// The page's own host and origin, which a request must name.
package struct PageIdentity: Hashable, Sendable {
  /// The expected `Host` header, as in `127.0.0.1:8021`.
  package let host: String

  /// - Parameter port: the port on 127.0.0.1.
  package init(port: Int) {
    // Browsers omit the default port.
    host = port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)"
  }

  package var origin: String { "http://\(host)" }

  /// Returns the route of a request.
  ///
  /// A request with another host name, such as `localhost` or a DNS name, is misdirected (421), because the owner of
  /// that name can point it to this address. Requests for data and verbs must come from the page itself (403): browsers
  /// send the page's address in `Origin`.
  /// - Throws: `PageRefusal`
  package func route(_ request: PageRequest) throws(PageRefusal) -> PageRoute {
    guard request.header("host")?.lowercased() == host else { throw .misdirected }
    guard let found = Self.routes[request.target] else { throw .notFound }
    guard request.method == (found.isPublic ? "GET" : "POST") else { throw .methodNotAllowed }
    if !found.isPublic, request.header("origin") != origin { throw .forbidden }
    return found
  }

  private static let routes: [String: PageRoute] = [
    "/": .file(.document), "/page.css": .file(.style), "/page.js": .file(.script), "/open": .open, "/events": .events,
    "/verb": .verb, "/report": .report, "/present": .present, "/leave": .leave,
  ]
}

extension PageRoute {
  fileprivate var isPublic: Bool { if case .file = self { true } else { false } }
}
