/// What a browser asks for, as far as it matters here.
package struct PageRequest: Sendable {
  /// As in `GET`.
  package var method: String
  /// As in `/page.css`.
  package var target: String
  /// Names in any case; one name may stand several times.
  package var headers: [(name: String, value: String)]

  package init(method: String, target: String, headers: [(name: String, value: String)]) {
    self.method = method
    self.target = target
    self.headers = headers
  }

  /// A header that stands once; nil where it is missing, or stands more often.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name.lowercased() == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// What `Authorization: Bearer` offers.
  package var token: PageToken? {
    guard let value = header("authorization"), value.prefix(7).lowercased() == "bearer " else { return nil }
    return PageToken(offered: value.dropFirst(7))
  }
}

/// Where a request leads.
package enum PageRoute: Hashable, Sendable {
  /// What anybody may have: it tells nothing of the gateway.
  case file(PageFile)
  /// A link is opened: a session is given for it.
  case open
  /// All that there is, and then what changes, as long as the connection lasts.
  case events
  case verb
  case report
  /// A person is there.
  case present
  /// The session ends.
  case leave

  /// Whether a person caused it; the page listens by itself.
  package var isAct: Bool { self != .events }
}

/// Why a request leads nowhere, as an HTTP status.
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

  /// What its answer has to say besides. (RFC 9110 §15.5.2, §15.5.6)
  package var headers: [(name: String, value: String)] {
    switch self {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .methodNotAllowed: [("Allow", "GET, POST")]
    case .badRequest, .forbidden, .notFound, .tooLarge, .misdirected, .headersTooLarge, .unavailable: []
    }
  }
}

/// Who the page is to browsers: which names of itself it answers to, and which pages may ask it.
package struct PageIdentity: Hashable, Sendable {
  /// As in `127.0.0.1:8021`.
  package let host: String

  /// - Parameter port: at which it is served on 127.0.0.1.
  package init(port: Int) {
    // A browser leaves out the port that is meant anyway.
    host = port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)"
  }

  package var origin: String { "http://\(host)" }

  /// Where a request leads.
  ///
  /// Names that somebody else may have pointed here, as `localhost` or one of the DNS, are not the page's own (421).
  /// What is told to owners, or said by them, comes from the page itself and from no other (403): a browser says so in
  /// `Origin`.
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
