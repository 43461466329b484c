import Testing

/// The line protocol, line by line, with `nc -U`.
@Suite struct LineProtocolTests {
  @Test func `the gateway sends the first line`() async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      let info = try await peer.next()
      #expect(info.hasPrefix("INFO proto=1 server=onefix/"))
      for part in [" id=", " maxline=4096", " maxsubs=16", " auth=peer", " nonce=", " caps="] {
        #expect(info.contains(part), "\(info)")
      }
    }
  }

  @Test func `a person can do with nc what onefix request does`() async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      _ = try await peer.next("INFO")
      let hello = try await peer.reply(to: "hello 1 app=peer")
      #expect(
        hello.wholeMatch(of: /\+OK proto=1 session=[0-9a-f]{32} authorization=notDetermined accuracy=full/) != nil)
      #expect(try await peer.reply(to: "SUB fix/once me") == "+OK")
      #expect(
        try await peer.reply(to: "@r REQ once timeout=60 purpose=to find a \"park\"") == "+OK @r state=awaiting-press")
      try await daemon.press(until: ["prompt"])
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

  @Test func `a client that half-closes its connection after its last line receives all replies before the end`()
    async throws
  {
    try await Daemon.with { daemon in
      let client = try Child("nc", ["-N", "-U", daemon.socket])
      client.write(Array("PING\nHELLO 1 app=peer\n@s STATUS\n@p PING\n@h half a line".utf8))
      client.closeInput()
      let received = try await client.finish().output
      #expect(
        received.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
          == ["INFO proto=1", "PONG", "+OK proto=1", "+OK @s", "PONG @p"], "\(received)")
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

  @Test func `a tag is repeated in the reply`() async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      #expect(try await peer.reply(to: "@early PING") == "PONG @early")
      #expect(try await peer.reply(to: "PING") == "PONG")
      #expect(try await peer.reply(to: "@h HELP").hasPrefix("+OK @h "))
      #expect(try await peer.reply(to: "@a HELLO 1 app=peer").hasPrefix("+OK @a proto=1"))
      #expect(try await peer.reply(to: "@b NONSENSE").hasPrefix("-ERR 403 unknown-verb @b :"))
      #expect(try await peer.reply(to: "@c REQ once") == "+OK @c state=awaiting-press")
      #expect(try await peer.reply(to: "@d REQ once").hasPrefix("-ERR 421 already-armed @d :"))
      #expect(try await peer.reply(to: "@e CANCEL") == "+OK @e")
      #expect(try await peer.reply(to: "@f STATUS").contains(" state=idle "))
      #expect(try await peer.reply(to: "@g REQ once") == "+OK @g state=awaiting-press")
    }
  }

  @Test func `a request that times out is notified at its timeout`() async throws {
    try await Daemon.with { daemon in
      let peer = try await Peer.connected(daemon)
      #expect(try await peer.reply(to: "@t REQ once timeout=1") == "+OK @t state=awaiting-press")
      #expect(try await peer.next("-ERR").hasPrefix("-ERR 420 no-press @t :"))
    }
  }

  @Test func `invalid lines receive their error codes, and the connection stays open`() async throws {
    try await Daemon.with { daemon in
      let peer = try await Peer.connected(daemon)
      let wrong: [([UInt8], String)] = [
        (Array("NONSENSE".utf8), "-ERR 403 unknown-verb :"), (Array("REQ twice".utf8), "-ERR 405 bad-argument :"),
        (Array("REQ once timeout=0".utf8), "-ERR 405 bad-argument :"),
        (Array("REQ once accuracy=rough".utf8), "-ERR 405 bad-argument :"),
        (Array("SUB fix//once s".utf8), "-ERR 404 bad-topic :"), (Array("SUB nothing s".utf8), "-ERR 404 bad-topic :"),
        (Array("SUB owner/log s".utf8), "-ERR 404 bad-topic :"), (Array("ACK x".utf8), "-ERR 405 bad-argument :"),
        (Array("ACK 99".utf8), "-ERR 422 expired :"), (Array("HELLO 1 app=peer".utf8), "-ERR 405 bad-argument :"),
        (Array("UNSUB s".utf8), "-ERR 405 bad-argument :"), (Array("LOCK".utf8), "-ERR 432 not-owner :"),
        (Array("PRESS".utf8), "-ERR 432 not-owner :"), (Array("LOG".utf8), "-ERR 432 not-owner :"),
        ([0x50, 0xC3, 0x28], "-ERR 400 bad-line :"), ([0x50, 0x00, 0x51], "-ERR 400 bad-line :"),
        ([UInt8](repeating: 0x41, count: 4097), "-ERR 402 line-too-long :"),
        ([UInt8](repeating: 0x41, count: 70_000), "-ERR 402 line-too-long :"),
        ([UInt8](repeating: 0x41, count: 4096), "-ERR 403 unknown-verb :"),
      ]
      for (line, answer) in wrong {
        peer.write(line + [0x0A])
        let reply = try await peer.next()
        #expect(reply.hasPrefix(answer), "\(reply)")
      }
      // An empty line is a heartbeat, and a CR before the LF is dropped.
      peer.write("\n\r\n")
      #expect(try await peer.reply(to: "PING\r") == "PONG")
    }
  }

  @Test(arguments: ["SUB # s", "REQ once", "STATUS", "CANCEL", "ACK 1", "NONSENSE", "REQ twice", "ACK x", "SUB // s"])
  func `every command before HELLO is answered with 900, and the connection is closed`(line: String) async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      peer.write(line)
      _ = try await peer.next("INFO")
      #expect(try await peer.next().hasPrefix("-ERR 900 auth-required :"))
      try await peer.hungUp()
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

  @Test(arguments: [
    ("HELLO 2 app=peer", "-ERR 903 proto-mismatch"), ("HELLO 1", "-ERR 902 auth-failed"),
    ("HELLO 1 app=Peer", "-ERR 902 auth-failed"), ("HELLO 1 app=../peer", "-ERR 902 auth-failed"),
  ])
  func `a HELLO without a valid identity is answered with its error code, and the connection is closed`(
    line: String, answer: String
  ) async throws {
    try await Daemon.with { daemon in
      let peer = try Peer(daemon.socket)
      peer.write(line)
      _ = try await peer.next("INFO")
      #expect(try await peer.next().hasPrefix(answer))
      try await peer.hungUp()
    }
  }

  @Test func `state topics are retained, events are not`() async throws {
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
      #expect(try await peer.reply(to: "UNSUB all") == "+OK")
      try await daemon.press()
      #expect(try await peer.reply(to: "PING") == "PONG")
      #expect(peer.received("MSG button/press").count == 1)
    }
  }

  @Test func `an app receives notifications about its own request`() async throws {
    try await Daemon.with(authorizing: "peer") { daemon in
      let peer = try await Peer.connected(daemon)
      for topic in ["button/press", "indicator"] {
        #expect(try await peer.reply(to: "SUB \(topic) \(topic.prefix(3))") == "+OK")
      }
      #expect(try await peer.reply(to: "REQ once") == "+OK state=awaiting-press")
      try await daemon.press(until: ["served", "granted"])
      _ = try await peer.next(#"MSG button/press but {"authorized":true}"#)
      _ = try await peer.next(#"MSG indicator ind {"state":"in-use"}"#)
      _ = try await peer.next(#"MSG indicator ind {"state":"off"}"#)
      #expect(peer.received("MSG fix/once - id=1 ").count == 1)
    }
  }

  @Test func `more than 50 commands at once are refused, and the connection stays open`() async throws {
    try await Daemon.with { daemon in
      let peer = try await Peer.connected(daemon)
      peer.write(Array((1...200).map { "@\($0) PING\n" }.joined().utf8))
      let refusal = try await peer.next("-ERR 430 rate-limited")
      #expect(refusal.contains(#/rate-limited @\d+ :/#), "\(refusal)")
      #expect(peer.received("PONG").count >= 49)
      _ = try await eventually("an accepted command") { try await peer.reply(to: "@x PING") == "PONG @x" ? true : nil }
    }
  }
}
