import Foundation
import Glibc
import Testing

/// Apps over TLS, with `openssl s_client`.
@Suite struct TLSTests {
  @Test func `a key authenticates an app over TLS, bound to the certificate of the gateway`() async throws {
    let authority = try await Authority()
    try await Daemon.with(configuration: authority.listener() + NetworkTests.apps) { daemon in
      let key = try await daemon.addKey("ferry")
      let app = try await NetworkApp.overTLS(daemon, authority)
      #expect(app.info("auth") == "hmac,token")
      #expect(try await app.prove("ferry", by: key).hasPrefix("+OK proto=1"))
      // The proof that a man in the middle would forward: with another certificate or with none.
      for binding in ["", try await authority.fingerprint(of: "authority")] {
        let relayed = try await NetworkApp.overTLS(daemon, authority)
        #expect(try await relayed.hello("ferry") != relayed.proof("server", "ferry", key, binding: binding))
        let reply = try await relayed.peer.reply(
          to: "AUTH hmac=\(relayed.proof("client", "ferry", key, binding: binding))")
        #expect(reply.hasPrefix("-ERR 902 auth-failed"))
      }
      #expect(try await app.peer.reply(to: "REQ once") == "+OK state=awaiting-press")
      try await daemon.press(until: ["served", "granted"])
      _ = try await app.peer.next("MSG fix/once - id=1 {")
      #expect(try await app.peer.reply(to: "ACK 1") == "+OK")
      #expect(try await daemon.log().contains { $0.contains(#""transport":"tls""#) })
      let old = Peer(try NetworkApp.client(daemon, authority, as: nil, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"))
      try await old.hungUp()
      #expect(old.received.isEmpty)
    }
  }

  @Test func `a token authenticates an app over TLS until it is revoked, and only its hash is stored`() async throws {
    let authority = try await Authority()
    let configuration = authority.listener() + NetworkTests.apps
    var daemon = try await Daemon.start(configuration: configuration)
    let token = try await daemon.addKey("ferry", "--token")
    #expect(try await daemon.stop().end == .exit(0))
    daemon = try await Daemon.start(in: daemon.folder, configuration: configuration)
    let app = try await NetworkApp.overTLS(daemon, authority)
    #expect(try await app.peer.reply(to: "HELLO 1 app=ferry keepalive=0") == "+OK auth=required")
    #expect(try await app.peer.reply(to: "AUTH token=\(token)").hasPrefix("+OK proto=1"))
    for (name, received) in [("tug", token), ("ferry", String(token.reversed())), ("nobody", token)] {
      let other = try await NetworkApp.overTLS(daemon, authority)
      #expect(try await other.peer.reply(to: "HELLO 1 app=\(name)") == "+OK auth=required")
      #expect(try await other.peer.reply(to: "AUTH token=\(received)").hasPrefix("-ERR 902 auth-failed"))
    }
    #expect(try await daemon.onefix("key", "revoke", "ferry").end == .exit(0))
    #expect(try await app.peer.hungUp()?.hasPrefix("-ERR 902 auth-failed") == true)
    for name in try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path("state")) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: daemon.folder.path("state/\(name)")))
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
    }
    // A stop is told to clients over TLS, too, and does not wait for unfinished handshakes.
    let last = try await NetworkApp.overTLS(daemon, authority)
    let silent = try daemon.connect("tls")
    #expect(try await daemon.stop().end == .exit(0))
    #expect(try await last.peer.hungUp()?.hasPrefix("-ERR 906 shutting-down") == true)
    try await silent.hungUp()
  }

  @Test func `a client certificate authenticates an app if the authority signed it and the app is configured with it`()
    async throws
  {
    let authority = try await Authority()
    for name in ["ferry", "tug", "spare"] { try await authority.issue(name) }
    try await authority.make("stranger", ["-subj", "/CN=ferry"] + Authority.leaf)
    var configuration = authority.listener(clientCA: true)
    for name in ["ferry", "tug", "stranger"] {
      let digits = try await authority.fingerprint(of: name)
      configuration += "[[app]]\nid = \"\(name)\"\ncertificate = \"sha256:\(digits)\"\n"
    }
    try await Daemon.with(configuration: configuration) { daemon in
      let app = try await NetworkApp.overTLS(daemon, authority, as: "ferry")
      #expect(app.info("auth") == "certificate,hmac,token")
      #expect(try await app.peer.reply(to: "HELLO 1 app=ferry keepalive=0").hasPrefix("+OK proto=1 session="))
      // The certificate of another app, a signed certificate without an app, and no certificate.
      for shown in ["tug", "spare", nil] {
        let other = try await NetworkApp.overTLS(daemon, authority, as: shown)
        #expect(other.info("auth") == (shown == nil ? "hmac,token" : "certificate,hmac,token"))
        #expect(try await other.peer.reply(to: "HELLO 1 app=ferry") == "+OK auth=required")
      }
      // The fingerprint is configured, but no authority has signed the certificate.
      let stranger = Peer(try NetworkApp.client(daemon, authority, as: "stranger"))
      try await stranger.hungUp()
      #expect(stranger.received.isEmpty)
      #expect(try await daemon.onefix("key", "add", "ferry").end == .exit(1))
    }
  }

  @Test func `unfinished handshakes do not keep an app out, however few files the daemon may open`()
    async throws
  {
    let authority = try await Authority()
    let configuration = authority.listener() + NetworkTests.apps
    let daemon = try await Daemon.start(configuration: configuration, limit: "-n 160")
    let key = try await daemon.addKey("ferry")
    var isEarly = false
    // On a busy machine, an attempt can take as long as the time limit of a handshake. The loop then tries again.
    for _ in 0..<5 where !isEarly {
      let silent = try (0..<200).map { _ in try daemon.connect("tls") }
      let began = ContinuousClock.now
      let app = try await NetworkApp.overTLS(daemon, authority)
      #expect(try await app.prove("ferry", by: key).hasPrefix("+OK proto=1"))
      isEarly = ContinuousClock.now - began < .seconds(8)
      #expect(try await app.peer.reply(to: "PING") == "PONG")
      for peer in silent + [app.peer] { try await peer.disconnect() }
    }
    #expect(isEarly, "the app waited for the end of the unfinished handshakes")
    #expect(try await daemon.stop().end == .exit(0))
  }

  /// A continued session would not verify the certificate of the client again.
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a client cannot continue an earlier session, and cannot begin a second handshake`(version: String) async throws
  {
    let authority = try await Authority()
    try await authority.issue("ferry")
    try await Daemon.with(configuration: authority.listener(clientCA: true) + NetworkTests.apps) { daemon in
      let address = try daemon.address("tls")
      let connect = ["s_client", "-connect", "\(address.host):\(address.port)", version]
      // The client connects five more times, each time with the session of the first connection.
      let reconnecting = try Child("openssl", connect + ["-reconnect"])
      _ = try await reconnecting.output.first("six handshakes") { output in
        output.lines.count { $0.hasPrefix("New, ") || $0.hasPrefix("Reused, ") } == 6 ? true : nil
      }
      #expect(!reconnecting.output.value.lines.contains { $0.hasPrefix("Reused, ") })
      reconnecting.kill(SIGTERM)
      let further = try Child("openssl", connect)
      try await further.printed("INFO proto=")
      if version == "-tls1_3" {
        // The client asks for new keys again and again, and reads the answers. Only a few may come without a command.
        for count in 1...400 where further.end.value == nil {
          further.write(Array("K\n".utf8))
          _ = try await further.errors.first("the request \(count)") { errors in
            errors.isOver || errors.lines.count(where: { $0.contains("KEYUPDATE") }) >= count ? true : nil
          }
        }
        _ = try await further.finish()
        #expect(further.errors.value.lines.count { $0.contains("KEYUPDATE") } < 400)
      } else {
        further.write(Array("R\n".utf8))
        let end = try await further.finish()
        #expect(end.errors.contains { $0.contains("no renegotiation") }, "\(end.errors)")
      }
    }
  }
}
