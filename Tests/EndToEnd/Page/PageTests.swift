import Foundation
import Testing

@Suite struct PageTests {
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
      let headers = ["Origin": "http://evil.example", "Authorization": "Bearer \(session)"]
      #expect(try await peer.ask("POST", "/verb", headers, body: "lock").status == 403)
      #expect(try await daemon.status()["locked"] == "false")
      #expect(try await post("lock").0 == 200)
      #expect(try await daemon.status()["locked"] == "true")
      #expect(try await peer.ask("/leave", as: session).status == 204)
      #expect(try await post("lock").0 == 401)
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
}
