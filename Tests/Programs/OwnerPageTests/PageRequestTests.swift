@testable import Features
import LineProtocol
import Testing

private let identity = PageIdentity(port: 8021)

private func route(
  _ method: String, _ target: String, host: String? = "127.0.0.1:8021", origin: String? = "http://127.0.0.1:8021",
  more: [(String, String)] = []
) -> Result<PageRoute, PageRefusal> {
  var headers = more.map { (name: $0.0, value: $0.1) }
  if let host { headers.append(("Host", host)) }
  if let origin { headers.append(("Origin", origin)) }
  let request = PageRequest(method: method, target: target, headers: headers)
  return Result { () throws(PageRefusal) in try identity.route(request) }
}

@Suite struct PageRequestTests {
  @Test(arguments: [
    ("GET", "/", PageRoute.file(.document)), ("GET", "/page.css", .file(.style)), ("GET", "/page.js", .file(.script)),
    ("GET", "/session.js", .file(.session)), ("GET", "/views.js", .file(.views)),
    ("POST", "/open", .open), ("POST", "/events", .events), ("POST", "/verb", .verb), ("POST", "/report", .report),
    ("POST", "/present", .present), ("POST", "/leave", .leave),
  ])
  func `existing routes are found`(method: String, target: String, expected: PageRoute) {
    #expect(route(method, target) == .success(expected))
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:8022", "localhost:8022", "localhost", "boat.example:8021", "[::1]", "[::1]:8022",
    "::1:8021", "localhost.:8021", "localhost.evil.example:8021", "[::ffff:127.0.0.1]:8021", "127.0.0.2:8021",
    "0.0.0.0:8021", "",
    "127.0.0.1:8021.evil.example", "127.0.0.1:08021", "evil.example@127.0.0.1:8021", " 127.0.0.1:8021",
  ])
  func `a request with another host is refused`(host: String) {
    for (method, target) in [("GET", "/"), ("POST", "/verb"), ("POST", "/open"), ("GET", "/nothing"), ("PUT", "/")] {
      #expect(route(method, target, host: host) == .failure(.misdirected), "\(method) \(target)")
    }
  }

  @Test(arguments: ["127.0.0.1:8021", "localhost:8021", "LocalHost:8021", "[::1]:8021"])
  func `a request to each name of the loopback interface is answered, if its origin has the same name`(host: String) {
    #expect(route("GET", "/", host: host) == .success(.file(.document)))
    let own = "http://\(host.lowercased())"
    for origin in ["http://127.0.0.1:8021", "http://localhost:8021", "http://[::1]:8021"] {
      #expect(
        route("POST", "/verb", host: host, origin: origin) == (origin == own ? .success(.verb) : .failure(.forbidden)))
    }
  }

  @Test(arguments: [
    nil, "null", "http://localhost:8021", "https://127.0.0.1:8021", "http://127.0.0.1", "http://127.0.0.1:8022",
    "http://evil.example", "http://127.0.0.1:8021.evil.example", "http://127.0.0.1:8021/", "HTTP://127.0.0.1:8021",
  ])
  func `data and verbs require the page's origin`(origin: String?) {
    for target in ["/open", "/events", "/verb", "/report", "/present", "/leave"] {
      #expect(route("POST", target, origin: origin) == .failure(.forbidden), "\(target)")
    }
  }

  @Test func `a missing host, a repeated host and a repeated origin are refused, and files need no origin`() {
    #expect(route("GET", "/", host: nil) == .failure(.misdirected))
    #expect(route("GET", "/", more: [("host", "127.0.0.1:8021")]) == .failure(.misdirected))
    #expect(route("POST", "/verb", more: [("origin", "http://127.0.0.1:8021")]) == .failure(.forbidden))
    #expect(route("GET", "/", origin: nil) == .success(.file(.document)))
  }

  @Test(arguments: [
    ("GET", "/verb", PageRefusal.methodNotAllowed), ("GET", "/events", .methodNotAllowed),
    ("POST", "/", .methodNotAllowed), ("HEAD", "/", .methodNotAllowed), ("OPTIONS", "/verb", .methodNotAllowed),
    ("TRACE", "/", .methodNotAllowed),
    ("GET", "/favicon.ico", .notFound), ("GET", "", .notFound), ("GET", "*", .notFound), ("GET", "/?x", .notFound),
    ("GET", "//", .notFound), ("GET", "/../etc/passwd", .notFound), ("GET", "http://127.0.0.1:8021/", .notFound),
    ("CONNECT", "127.0.0.1:8021", .notFound),
  ])
  func `unknown targets and methods are refused`(method: String, target: String, refusal: PageRefusal) {
    #expect(route(method, target) == .failure(refusal))
  }

  @Test func `on the default port, browsers omit the port`() {
    #expect(PageIdentity(port: 80).host == "127.0.0.1" && PageIdentity(port: 80).origin == "http://127.0.0.1")
  }

  @Test(arguments: [
    ("Bearer ", true), ("bearer ", true), ("BEARER ", true), ("Basic ", false), ("", false), ("Bearer  ", false),
    ("Bearer\t", false),
  ])
  func `a token is accepted only with the scheme Bearer`(scheme: String, isThere: Bool) {
    let token = String(repeating: "A", count: 43)
    let request = PageRequest(method: "POST", target: "/verb", headers: [("Authorization", scheme + token)])
    #expect((request.token?.text == token) == isThere)
    let twice = PageRequest(method: "POST", target: "/verb", headers: request.headers + request.headers)
    #expect(twice.token == nil)
  }

  @Test func `every route except events is a user action`() {
    let routes: [PageRoute] = [.file(.document), .open, .events, .verb, .report, .present, .leave]
    #expect(routes.filter { !$0.isUserAction } == [.events])
  }

  @Test(arguments: [
    ("answer 3 once", true), ("answer 3 while-using reduced", true), ("answer once", false),
    ("allow ferry always", true), ("deny ferry", true), ("reset ferry", true), ("accuracy ferry reduced", true),
    ("use ferry", true), ("lock", true),
    ("key add ferry", false), ("key add ferry token", false), ("key revoke ferry", false), ("reload", false),
    ("page", false), ("log", false), ("status", false), ("regions", false),
  ])
  func `the page offers these verbs, and no keys`(words: String, isOffered: Bool) throws {
    #expect(try OwnerVerb(parsing: words).isOnPage == isOffered)
  }

  @Test func `every response isolates the page from other pages`() throws {
    let headers = Dictionary(uniqueKeysWithValues: PageHeaders.all.map { ($0.name, $0.value) })
    let policy = try #require(headers["Content-Security-Policy"])
    for part in [
      "default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self'",
      "style-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'",
    ] {
      #expect(policy.contains(part), "\(part)")
    }
    for word in ["unsafe", "*", "http"] { #expect(!policy.contains(word), "\(word)") }
    #expect(headers["X-Content-Type-Options"] == "nosniff" && headers["Referrer-Policy"] == "no-referrer")
    #expect(headers["Cache-Control"] == "no-store" && headers["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(headers["Connection"] == "close" && headers["X-Frame-Options"] == "DENY")
    #expect(!headers.keys.contains { $0.hasPrefix("Access-Control") || $0 == "Set-Cookie" })
  }
}
