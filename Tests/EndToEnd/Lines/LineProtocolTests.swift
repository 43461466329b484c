import Testing

/// The line protocol, line by line, with `nc -U`.
@Suite struct LineProtocolTests {
  @Test func `a person can do with nc what onefix request does`() async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      let info = try await peer.next()
      for part in [
        "INFO proto=1 server=onefix/", " id=", " maxline=4096", " maxsubs=16", " auth=peer", " nonce=", " caps=",
      ] {
        #expect(info.contains(part), "\(info)")
      }
      let hello = try await peer.reply(to: "hello 1 app=peer")
      #expect(
        hello.wholeMatch(of: /\+OK proto=1 session=[0-9a-f]{32} authorization=notDetermined accuracy=full/) != nil)
      #expect(try await peer.reply(to: "SUB fix/once me") == "+OK")
      #expect(
        try await peer.reply(to: "@r REQ once timeout=60 purpose=to find a \"park\"") == "+OK @r state=awaiting-press")
      try await daemon.press(until: ["served", "granted"])
      let message = try await peer.next("MSG")
      let parts = try #require(message.wholeMatch(of: /MSG fix\/once me id=1 (\{.*\})/), "\(message)")
      #expect(try Fix(String(parts.1)).accuracy == "full")
      #expect(try await peer.reply(to: "ACK 1") == "+OK")
      #expect(try await peer.reply(to: "ACK 1").hasPrefix("-ERR 422 expired"))
      #expect(try await peer.reply(to: "STATUS").contains(" state=idle "))
      #expect(try await peer.reply(to: "BYE") == "+OK")
      try await peer.hungUp()
      #expect(try await daemon.log().count { $0.contains(#""outcome":"acknowledged""#) } == 1)
    }
  }

  @Test func `a half-closed connection gets a reply to each line before its end, also beyond the limit of commands`()
    async throws
  {
    try await Daemon.with { daemon in
      func replies(_ lines: String, at socket: String) async throws -> [String] {
        let client = try Child("nc", ["-N", "-U", socket])
        client.write(Array(lines.utf8))
        client.closeInput()
        return try await client.finish().output
      }
      let received = try await replies("PING\nHELLO 1 app=peer\n@s STATUS\n@p PING\n@h half a line", at: daemon.socket)
      #expect(
        received.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
          == ["INFO proto=1", "PONG", "+OK proto=1", "+OK @s", "PONG @p"], "\(received)")
      let withdrawals = String(repeating: "SET other status denied\n", count: 60)
      let accepted = try await replies("HELLO 1\n\(withdrawals)", at: daemon.ownerSocket)
      #expect(accepted.count { $0.hasPrefix("+OK") } == 61, "\(accepted)")
    }
  }

  @Test func `a fix is delivered only to the session that armed`() async throws {
    try await Daemon.with(authorizing: "peer") { daemon in
      let asking = try await Peer.connected(daemon)
      let listening = try await Peer.connected(daemon, app: "listener")
      let sibling = try await Peer.connected(daemon)
      for peer in [listening, sibling] { #expect(try await peer.reply(to: "SUB # all") == "+OK") }
      _ = try await asking.reply(to: "REQ once")
      try await daemon.press(until: ["served", "granted"])
      _ = try await asking.next("MSG fix/once - id=1 {")
      for peer in [listening, sibling] {
        // The reply comes after all earlier notifications.
        #expect(try await peer.reply(to: "@last PING") == "PONG @last")
        #expect(peer.received("MSG fix/once") == [])
      }
      #expect(listening.received("MSG indicator").allSatisfy { $0.hasSuffix(#"{"state":"off"}"#) })
      #expect(listening.received("MSG button/press") == [])
    }
  }

  @Test func `a client that sends data before INFO receives the reason for its disconnection, each time`() async throws
  {
    try await Daemon.with { daemon in
      for _ in 0..<100 {
        let hasty = try RawSocket.connect(daemon.socket)
        hasty.send("STATUS\n")
        var text = ""
        _ = try await eventually("the reason for the disconnection") {
          text += hasty.receive()
          return text.contains("\n-ERR 900 auth-required :") ? true : nil
        }
      }
    }
  }

  @Test func `state topics are retained, events are not, and the event of a press says why it serves no app`()
    async throws
  {
    try await Daemon.with { daemon in
      let peer = try await Peer.connected(daemon)
      #expect(try await peer.reply(to: "SUB # all") == "+OK")
      let messages = [try await peer.next(), try await peer.next(), try await peer.next()]
      #expect(
        Set(messages) == [
          #"MSG indicator all ret=1 {"state":"off"}"#,
          #"MSG authorization all ret=1 {"status":"notDetermined","accuracy":"full"}"#,
          #"MSG receiver all ret=1 {"state":"present"}"#,
        ])
      #expect(try await daemon.press() == "nothing")
      #expect(try await peer.next() == #"MSG button/press all {"authorized":false,"reason":"nothing-armed"}"#)
      let owner = try await Peer.owner(daemon)
      owner.write("PRESS ms=2500")
      #expect(try await peer.reply(to: "REQ once") == "+OK state=awaiting-press")
      let late = #"MSG button/press all {"authorized":false,"reason":"armed-too-late"}"#
      #expect(try await peer.next("MSG button/press") == late)
      #expect(try await owner.next("+OK").hasPrefix("+OK effect=nothing"))
      #expect(try await peer.reply(to: "STATUS").contains("state=awaiting-press"))
      #expect(try await peer.reply(to: "CANCEL").hasPrefix("+OK"))
      #expect(try await peer.reply(to: "UNSUB all") == "+OK")
      try await daemon.press()
      #expect(try await peer.reply(to: "PING") == "PONG")
      #expect(peer.received("MSG button/press").count == 2)
    }
  }
}
