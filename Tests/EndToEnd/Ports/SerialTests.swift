import Testing

/// Apps at the other end of a serial port.
@Suite struct SerialTests {
  private func withPort(baud: Int = 115_200, _ body: (Daemon, PortBench) async throws -> Void) async throws {
    let bench = try PortBench()
    try await Daemon.with(configuration: bench.configuration(baud: baud)) { daemon in
      let info = try await bench.peer.next("INFO ")
      #expect(info.contains(" maxline=512 ") && info.hasSuffix(",crc"))
      try await body(daemon, bench)
    }
  }

  @Test(arguments: [
    ("text", ["±"]), ("json", ["\"accuracy\":\"full\""]), ("nmea", ["$GNRMC", "$GNGGA", "$GNGSA", "$GNGST"]),
  ])
  func `a port with on_press shows the fix of each press, with nothing typed`(
    format: String, parts: [String]
  ) async throws {
    let bench = try PortBench()
    let table = bench.configuration() + "on_press = true\nformat = \"\(format)\"\n"
    try await Daemon.with(configuration: table) { daemon in
      // With a standing authorization, a press gives a fix at once.
      try await daemon.allow("peer")
      for count in 1...2 {
        try await daemon.press(until: ["served", "granted"])
        for part in parts {
          let line = try await bench.peer.next { _ in true }
          #expect(line.contains(part) && line.hasSuffix("\r"), "\(line)")
        }
        _ = try await eventually("the end of the delivery") {
          try await daemon.log().count { $0.contains(#""outcome":"acknowledged""#) } == count ? true : nil
        }
        #expect(bench.peer.received.value.lines.count == count * parts.count)
      }
      #expect(try await daemon.status()["each-press"] == "peer")
    }
  }

  @Test func `on a slow line all commands before BYE are answered, and BYE too`() async throws {
    try await withPort(baud: 4800) { _, bench in
      let peer = bench.peer
      #expect(try await peer.reply(to: "HELLO 1").hasPrefix("+OK "))
      peer.send("HELP\n@a PING\n@b BYE")
      #expect(try await peer.next("+OK").hasPrefix("+OK verbs="))
      #expect(try await peer.next { !$0.isEmpty } == "PONG @a")
      #expect(try await peer.next { !$0.isEmpty } == "+OK @b")
      _ = try await peer.next("INFO ")
    }
  }

  @Test func `the port stays open after any input, and the next line is read`() async throws {
    try await withPort { _, bench in
      let peer = bench.peer
      peer.send([0x00, 0xFE, 0x80, 0x0A])
      #expect(try await peer.next("-ERR").hasPrefix("-ERR 400 bad-line "))
      #expect(try await peer.reply(to: "REQ once").hasPrefix("-ERR 900 auth-required "))
      _ = try await peer.next("INFO ")
      #expect(try await peer.reply(to: "HELLO 1 app=other").hasPrefix("-ERR 902 auth-failed "))
      _ = try await peer.next("INFO ")
      #expect(try await peer.reply(to: "HELLO 2").hasPrefix("-ERR 903 proto-mismatch "))
      _ = try await peer.next("INFO ")
      #expect(try await peer.reply(to: "HELLO 1").hasPrefix("+OK "))
      #expect(try await peer.reply(to: String(repeating: "x", count: 513)).hasPrefix("-ERR 402 line-too-long "))
      #expect(try await peer.reply(to: String(repeating: "x", count: 512)).hasPrefix("-ERR 403 unknown-verb "))
      #expect(try await peer.reply(to: "PRESS").hasPrefix("-ERR 432 not-owner "))
      // The message of an error is shortened to fit.
      let refusal = try await peer.reply(to: "SUB " + String(repeating: "o\u{0323}\u{0302}\u{0301}", count: 60) + " s")
      #expect(refusal.hasPrefix("-ERR 404 bad-topic ") && refusal.utf8.count <= 512)
      #expect(try await peer.reply(to: "@last PING") == "PONG @last")
    }
  }

  @Test func `a client that sends lines without HELLO for 30 s receives an error, and then INFO again`() async throws {
    try await withPort { _, bench in
      #expect(try await bench.peer.reply(to: "PING") == "PONG")
      #expect(try await bench.peer.next("-ERR", within: .seconds(60)).hasPrefix("-ERR 901 auth-timeout "))
      _ = try await bench.peer.next("INFO ")
      #expect(try await bench.peer.reply(to: "HELLO 1").hasPrefix("+OK "))
    }
  }

  @Test func `a port that disappears is opened again when it returns`() async throws {
    let first = try PortBench()
    try await Daemon.with(configuration: first.configuration()) { daemon in
      _ = try await first.peer.next("INFO ")
      let hello = try await first.peer.reply(to: "HELLO 1")
      let token = try #require(hello.firstMatch(of: /session=(\w+)/)?.1)
      first.end.hangUp()
      let second = try PortBench(at: first.path)
      _ = try await second.peer.next("INFO ")
      #expect(try await second.peer.reply(to: "HELLO 1 session=\(token)").hasPrefix("+OK "))
      try await daemon.stop()
      #expect(try await second.peer.next("-ERR").hasPrefix("-ERR 906 shutting-down "))
    }
  }
}
