import Foundation
import Testing

@Suite struct PageTests {
  @Test func `public files contain nothing about the gateway, and their headers forbid use by other sites`()
    async throws
  {
    try await Daemon.withPage("gateway = \"boat-7\"") { _, peer in
      for (target, type) in [
        ("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript"),
        ("/session.js", "text/javascript"), ("/views.js", "text/javascript"),
      ] {
        let answer = try await peer.ask("GET", target)
        #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix(type) == true)
        #expect(!answer.body.contains("boat-7") && answer.body.utf8.count < 20_000)
        #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        #expect(answer.headers["cache-control"] == "no-store" && answer.headers["connection"] == "close")
        #expect(answer.headers["set-cookie"] == nil && answer.headers["server"] == nil)
      }
      #expect(try await peer.ask("GET", "/", ["Accept-Language": "ja"]).body.contains("<html lang=\"ja\">"))
    }
  }

  @Test func `the page answers only to its own host name and accepts commands only from its own origin`() async throws {
    try await Daemon.withPage { daemon, peer in
      for (host, status) in [("boat.example:\(peer.port)", 421), ("localhost:\(peer.port)", 200)] {
        #expect(try await peer.ask("GET", "/", ["Host": host]).status == status, "\(host)")
        let link = try await daemon.pageLink().token
        let headers = ["Host": host, "Authorization": "Bearer \(link)", "Origin": "http://\(host)"]
        #expect(try await peer.ask("POST", "/open", headers).status == status, "\(host)")
        if status == 421 { #expect(try await peer.ask("/open", as: link).status == 200, "a refusal uses nothing up") }
      }
      let session = try await peer.session(daemon)
      let headers = ["Origin": "http://evil.example", "Authorization": "Bearer \(session)"]
      for target in ["/events", "/verb", "/report", "/open", "/present", "/leave"] {
        let answer = try await peer.ask("POST", target, headers, body: "lock")
        #expect(answer.status == 403 && answer.headers["access-control-allow-origin"] == nil)
      }
      let options = try await peer.ask("OPTIONS", "/verb", ["Origin": "http://evil.example"])
      #expect(options.status == 405 && options.headers["allow"] == "GET, POST")
      #expect(try await daemon.status()["locked"] == "false")
    }
  }

  @Test func `a link opens once, and each wrong guess delays only its own user`() async throws {
    try await Daemon.withPage { daemon, peer in
      let link = try await daemon.pageLink().token
      #expect(try await peer.ask("/open", as: link).status == 200)
      let start = ContinuousClock.now
      #expect(try await peer.ask("/open", as: link).status == 401)
      #expect(ContinuousClock.now - start >= .milliseconds(500))
      let second = ContinuousClock.now
      #expect(try await peer.ask("/report", as: String(repeating: "A", count: 43)).status == 401)
      #expect(ContinuousClock.now - second >= .seconds(1))
      let next = try await daemon.pageLink().token
      let guesses = try (0..<4).map { _ in try TCPConnection("127.0.0.1", peer.port) }
      let began = ContinuousClock.now
      for guess in guesses { guess.write(peer.request("POST", "/verb", ["Authorization": "Bearer x"], body: "lock")) }
      let session = try await peer.ask("/open", as: next).body
      #expect(try await peer.ask("/present", as: session).status == 204)
      // A very busy machine needs more than eight seconds for the two requests above.
      let isWaiting = guesses.contains { !$0.output.value.isOver }
      #expect(isWaiting || began.duration(to: .now) > .seconds(8), "the last guess waits for eight seconds")
      // A cookie is not accepted as a token.
      #expect(try await peer.ask("POST", "/verb", ["Cookie": "session=\(session)"], body: "lock").status == 401)
      #expect(try await daemon.status()["locked"] == "false")
    }
  }

  @Test func `a session can run the commands of the page and no others, and an answer has the browser's language`()
    async throws
  {
    try await Daemon.withPage { daemon, peer in
      let session = try await peer.session(daemon)
      func post(_ words: String, _ language: String = "en") async throws -> (Int, String) {
        let answer = try await peer.ask("/verb", as: session, body: words, language: language)
        return (answer.status, answer.body)
      }
      #expect(try await post("allow peer always") == (200, "peer: Always, precise"))
      #expect(try await post("accuracy peer reduced", "de") == (200, "peer: Immer, ungefähr"))
      #expect(try await post("deny nobody") == (409, "There is no app “nobody”; apps lists the apps."))
      #expect(try await post("answer 7 once") == (409, "This question is no longer open."))
      let app = try await Peer.connected(daemon, app: "other")
      try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn of shallows")
      #expect(try await post("answer 1 no", "de").0 == 200)
      let record = #""choice":"no","says":"To warn of shallows","language":"de","by":"page"}"#
      #expect(try await daemon.log().contains { $0.hasSuffix(record) })
      #expect(try await peer.ask("/report", as: session).body.contains(">To warn of shallows</td>"))
      for words in ["key add peer", "reload", "status", "page", "answer once"] {
        #expect(try await post(words).0 == 403, "\(words)")
      }
      for words in ["", "fly", "deny", "deny a b", "deny peer\nLOCK", "deny \u{0}"] {
        #expect(try await post(words).0 == 400, "\(words)")
      }
      #expect(try await post("lock").0 == 200)
      #expect(try await daemon.status()["locked"] == "true")
      #expect(try await peer.ask("/leave", as: session).status == 204)
      #expect(try await post("lock").0 == 401)
    }
  }

  @Test func `the event stream sends changes and never a position`() async throws {
    try await Daemon.withPage { daemon, peer in
      let session = try await peer.session(daemon)
      let listener = try peer.listen(as: session)
      func waitFor(_ what: String, _ text: String) async throws {
        _ = try await listener.output.first(what) { received in
          if received.isOver { throw Peer.HungUp(received: received) }
          return received.lines.contains { $0.contains(text) } ? true : nil
        }
      }
      try await waitFor("the state", #""isLocked":false"#)
      try await waitFor("the apps", #""app":"peer""#)
      try await waitFor("the empty log", #""log":[]"#)
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn of shallows")
      try await waitFor("the question", "peer says: “To warn of shallows”")
      #expect(try await daemon.onefix("answer", "1", "no").end == .exit(0))
      try await waitFor("the outcome", "peer: answered by another owner: no")
      let fix = try await daemon.fix()
      try await waitFor("the entry", "one fix by a press, precise")
      let report = try await peer.ask("/report", as: session)
      #expect(report.status == 200 && report.body.contains("<table") && report.body.hasPrefix("<h3>"))
      for text in [report.body, "\(listener.output.value.lines)"] {
        for part in ["\(fix.latitude)".prefix(6), "\(fix.longitude)".prefix(5)] { #expect(!text.contains(part)) }
        for word in ["\"lat", "\"lon", "coordinate"] { #expect(!text.contains(word)) }
      }
      #expect(try await peer.ask("/leave", as: session).status == 204)
      #expect(try await daemon.stop().end == .exit(0), "who listens keeps nobody from stopping")
      _ = try await listener.output.first("the end") { $0.isOver ? true : nil }
    }
  }

  /// Every user of the machine may connect and guess.
  @Test func `connections without a session do not keep an owner out and are closed within seconds`() async throws {
    try await Daemon.withPage { daemon, peer in
      let session = try await peer.session(daemon)
      let listener = try peer.listen(as: session)
      _ = try await listener.output.first("the state") { $0.lines.contains { $0.contains("isLocked") } ? true : nil }
      let guess = peer.request("POST", "/verb", ["Authorization": "Bearer \(String(repeating: "A", count: 43))"])
      let began = ContinuousClock.now
      let crowd = try (0..<64).map { number in
        let connection = try TCPConnection("127.0.0.1", peer.port)
        if number % 2 == 0 { connection.write(guess) }
        return connection
      }
      #expect(try await peer.ask("/verb", as: session, body: "deny peer").body == "peer: Never")
      #expect(try await peer.ask("GET", "/page.css").status == 200)
      #expect(try await peer.ask("/open", as: try await daemon.pageLink().token).status == 200)
      // The page closes the crowd after five seconds, which a very busy machine needs for the requests above.
      let isCrowded = crowd.contains { !$0.output.value.isOver }
      #expect(isCrowded || began.duration(to: .now) > .seconds(5), "the crowd was there all the time")
      #expect(try await daemon.fix().accuracy == "full")
      _ = try await eventually("the disconnection of the crowd") {
        crowd.allSatisfy { $0.output.value.isOver } ? true : nil
      }
      // The event stream stays open and sends events.
      _ = try await listener.output.first("the fix") { received in
        received.lines.contains { $0.contains("one fix by a press, precise") } ? true : nil
      }
    }
  }

  @Test func `without [page] there is no page, no app can request a link, and a restart ends every session`()
    async throws
  {
    let plain = try await Daemon.start()
    let refused = try await plain.onefix("page", "--language", "en")
    #expect(refused.end == .exit(1))
    #expect(refused.errors == ["onefix: There is no page; add [page] to onefix.toml and restart the gateway."])
    #expect(try await Peer.connected(plain).reply(to: "PAGE").hasPrefix("-ERR 432"))
    try await plain.stop()
    let daemon = try await Daemon.start(configuration: "[page]\nport = 0\n")
    let peer = try PageClient(daemon)
    let session = try await peer.session(daemon)
    try await daemon.stop()
    let next = try await Daemon.start(in: daemon.folder, configuration: "[page]\nport = \(peer.port)\n")
    #expect(try PageClient(next).port == peer.port)
    #expect(try await peer.ask("/present", as: session).status == 401)
    try await next.stop()
  }

  @Test func `a tab above the limit receives an error, and a closed tab makes room`() async throws {
    try await Daemon.withPage { daemon, peer in
      let session = try await peer.session(daemon)
      let tabs = try (0..<16).map { _ in try peer.listen(as: session) }
      for tab in tabs {
        let isAccepted = try await tab.output.first("an answer") { $0.lines.first?.hasPrefix("HTTP/1.1 200 ") }
        #expect(isAccepted)
      }
      #expect(try await peer.ask("/present", as: session).status == 503)
      try await tabs[0].disconnect()
      _ = try await eventually("a free session") {
        try await peer.ask("/present", as: session).status == 204 ? true : nil
      }
    }
  }
}
