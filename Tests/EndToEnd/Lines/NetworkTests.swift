import Foundation
import Glibc
import Testing

/// Apps over TCP on the loopback interface.
@Suite struct NetworkTests {
  static let listener = "[[listen]]\naddress = \"127.0.0.1:0\"\n"
  static let apps = ["ferry", "tug"].map { "[[app]]\nid = \"\($0)\"\nkey = true\n" }.joined()

  private func daemon(_ body: (Daemon) async throws -> Void) async throws {
    try await Daemon.with(configuration: Self.listener + Self.apps, body)
  }

  @Test func `an app authenticates with the key that an owner created, and the log has its transport`() async throws {
    try await daemon { daemon in
      let key = try await daemon.addKey("ferry")
      #expect(key.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
      for app in ["nobody", "peer"] {
        let refused = try await daemon.onefix("key", "add", app, "--language", "en")
        let cause = "There is no app “\(app)”, or it has no key = true in onefix.toml."
        #expect(refused.end == .exit(1) && refused.errors == ["onefix: \(cause)"], "\(refused)")
      }
      let app = try await NetworkApp.overTCP(daemon)
      #expect(app.info("auth") == "hmac" && app.info("nonce")?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
      let reply = try await app.prove("ferry", by: key)
      #expect(
        reply.wholeMatch(of: /\+OK proto=1 session=[0-9a-f]{32} authorization=notDetermined accuracy=full/) != nil)
      #expect(try await app.peer.reply(to: "AUTH hmac=\(app.proof("client", "ferry", key))").hasPrefix("-ERR 405"))
      #expect(try await app.peer.reply(to: "APPS").hasPrefix("-ERR 432 not-owner"))
      #expect(try await app.peer.reply(to: "REQ once") == "+OK state=awaiting-press")
      try await daemon.press(until: ["served", "granted"])
      _ = try await app.peer.next("MSG fix/once - id=1 {")
      #expect(try await app.peer.reply(to: "ACK 1") == "+OK")
      #expect(try await daemon.log().contains { $0.contains(#""app":"ferry""#) && $0.contains(#""transport":"tcp""#) })
    }
  }

  @Test func `each connection has its own nonce, and a proof for another connection is invalid`() async throws {
    try await daemon { daemon in
      let key = try await daemon.addKey("ferry")
      let first = try await NetworkApp.overTCP(daemon)
      let second = try await NetworkApp.overTCP(daemon)
      #expect(first.info("nonce") != second.info("nonce"))
      _ = try await first.hello("ferry")
      _ = try await second.hello("ferry")
      let proof = try first.proof("client", "ferry", key)
      #expect(try await second.peer.reply(to: "AUTH hmac=\(proof)").hasPrefix("-ERR 902 auth-failed"))
      try await second.peer.hungUp()
      #expect(try await first.peer.reply(to: "AUTH hmac=\(proof)").hasPrefix("+OK proto=1"))
    }
  }

  @Test func `a client that does not authenticate within 10 s is disconnected, whatever it sends meanwhile`()
    async throws
  {
    let authority = try await Authority()
    try await Daemon.with(configuration: Self.listener + authority.listener() + Self.apps) { daemon in
      let came = ContinuousClock.now
      let silent = try await NetworkApp.overTCP(daemon)
      let challenged = try await NetworkApp.overTCP(daemon)
      _ = try await challenged.hello("ferry")
      // This client never starts the TLS handshake.
      let plain = try daemon.connect("tls")
      _ = try await eventually("the end of its time") {
        challenged.peer.write("PING")
        return try? await challenged.peer.hungUp(within: .zero)
      }
      // A client whose lines the gateway did not read any more can lose the reason (TCP).
      let reason = try await silent.peer.hungUp()
      #expect(reason == "-ERR 901 auth-timeout :authentication timed out after 10 s")
      try await plain.hungUp()
      #expect(ContinuousClock.now - came > .seconds(9))
    }
  }

  @Test func `when a key is revoked or replaced, only the connections that authenticated with it are closed`()
    async throws
  {
    try await daemon { daemon in
      let keys = (ferry: try await daemon.addKey("ferry"), tug: try await daemon.addKey("tug"))
      let other = try await NetworkApp.overTCP(daemon)
      #expect(try await other.prove("tug", by: keys.tug).hasPrefix("+OK proto=1"))
      let local = try await Peer.connected(daemon, app: "ferry")
      func revoke() async throws -> Finished { try await daemon.onefix("key", "revoke", "ferry", "--json") }
      func replace() async throws -> Finished { try await daemon.onefix("key", "add", "ferry", "--json") }
      var key = keys.ferry
      for end in [replace, revoke] {
        let app = try await NetworkApp.overTCP(daemon)
        #expect(try await app.prove("ferry", by: key).hasPrefix("+OK proto=1"))
        let waiting = try await NetworkApp.overTCP(daemon)
        _ = try await waiting.hello("ferry")
        let ended = try await end()
        #expect(ended.end == .exit(0) && ended.output.count == 1, "\(ended)")
        #expect(try await app.peer.hungUp()?.hasPrefix("-ERR 902 auth-failed") == true)
        let refusal = try await waiting.peer.reply(to: "AUTH hmac=\(waiting.proof("client", "ferry", key))")
        #expect(refusal.hasPrefix("-ERR 902 auth-failed"))
        let object = try JSONSerialization.jsonObject(with: Data(ended.output[0].utf8)) as? [String: String]
        #expect(object?["app"] == "ferry")
        key = object?["key"] ?? ""
      }
      #expect(key.isEmpty)
      #expect(try await other.peer.reply(to: "PING") == "PONG")
      #expect(try await local.reply(to: "PING") == "PONG")
    }
  }

  @Test func `keys survive a restart of the daemon, sealed, and a revoked key stays revoked`() async throws {
    let configuration = Self.listener + Self.apps
    var daemon = try await Daemon.start(configuration: configuration)
    let keys = (ferry: try await daemon.addKey("ferry"), tug: try await daemon.addKey("tug"))
    #expect(try await daemon.onefix("key", "revoke", "tug").end == .exit(0))
    // The same as a loss of power.
    daemon.process.kill(SIGKILL)
    let killed = try await daemon.process.finish()
    for secret in [keys.ferry, keys.tug] { #expect(!killed.errors.joined().contains(secret)) }
    daemon = try await Daemon.start(in: daemon.folder, configuration: configuration)
    let app = try await NetworkApp.overTCP(daemon)
    #expect(try await app.prove("ferry", by: keys.ferry).hasPrefix("+OK proto=1"))
    let revoked = try await NetworkApp.overTCP(daemon)
    #expect(try await revoked.hello("tug") != revoked.proof("server", "tug", keys.tug))
    let folder = daemon.folder.path("state")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let standard = keys.ferry.replacing("-", with: "+").replacing("_", with: "/") + "="
    let secret = try #require(Data(base64Encoded: standard))
    for name in names {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
      #expect(bytes.range(of: secret) == nil && bytes.range(of: Data(keys.ferry.utf8)) == nil, "\(name)")
    }
    #expect(try await daemon.stop().end == .exit(0))
  }

  @Test func `a session resumes when its app authenticates again, but not on another transport`() async throws {
    try await daemon { daemon in
      let key = try await daemon.addKey("ferry")
      let app = try await NetworkApp.overTCP(daemon)
      let reply = try await app.prove("ferry", by: key)
      let session = try #require(reply.firstMatch(of: /session=([0-9a-f]{32})/)).1
      #expect(try await app.peer.reply(to: "REQ once") == "+OK state=awaiting-press")
      // The session waits 5 s for its app, so both clients are connected before.
      let elsewhere = try Peer(daemon.socket)
      _ = try await elsewhere.next("INFO")
      let back = try await NetworkApp.overTCP(daemon)
      try await app.peer.disconnect()
      let local = "HELLO 1 app=ferry keepalive=0 session=\(session)"
      #expect(try await elsewhere.reply(to: local).hasPrefix("+OK proto=1"))
      #expect(try await elsewhere.reply(to: "STATUS").contains(" state=idle "))
      #expect(try await back.prove("ferry", by: key, " session=\(session)").hasPrefix("+OK proto=1"))
      #expect(try await back.peer.reply(to: "STATUS").contains(" state=awaiting-press "))
    }
  }
}
