import Testing

@Suite struct StandingUseTests {
  @Test func `an allowed app receives fixes without a press while it is in use, and the log has each interval`()
    async throws
  {
    try await Daemon.with(configuration: "language = \"en\"\nprompt_display = true\n") { daemon in
      let app = try await Peer.connected(daemon)
      let owner = try await Peer.owner(daemon, "SUB owner/prompt asked")
      _ = try await app.reply(to: "SUB authorization mine")
      let reply = try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn of shallows, in time")
      #expect(reply.hasPrefix("+OK state=asking authorization=notDetermined"))
      let prompt = try await owner.next("MSG owner/prompt asked")
      for part in [
        #""kind":"authorize""#, #""says":"To warn of shallows, in time""#, #""choices":"once,while-using,no""#,
        "Press: once. Press twice: while using.",
      ] {
        #expect(prompt.contains(part), "\(prompt)")
      }
      #expect(try await owner.reply(to: "ANSWER 1 always").hasPrefix("-ERR 405"))
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
      _ = try await app.next { $0.contains(#""status":"whenInUse""#) }
      #expect(try await app.reply(to: "START updates interval=0") == "+OK state=acquiring")
      for _ in 0..<2 { #expect(try await app.next("MSG fix/updates - ").contains(#""accuracy":"full""#)) }
      #expect(try await daemon.status()["indicator"] == "in-use")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 421"))
      #expect(try await app.reply(to: "STOP updates") == "+OK")
      #expect(try await app.reply(to: "REQ once") == "+OK state=acquiring")
      _ = try await app.next("MSG fix/once - ")
      let log = try await daemon.log()
      for event in ["interval", "disclosure"] {
        #expect(log.count { $0.contains(#""event":"\#(event)""#) && $0.contains(#""right":"whenInUse""#) } == 1)
      }
      let end = try #require(log.first { $0.contains(#""event":"end""#) })
      #expect(end.contains(#""outcome":"stopped""#))
      let fixes = try #require(end.firstMatch(of: /"fixes":(\d+)/)?.1)
      #expect((Int(fixes) ?? 0) >= 2)
      // The report counts the second START as a failed request. The first START had fixes before it ended.
      let report = try await daemon.onefix("report").output
      #expect(report.contains { $0.contains("1 × followed for a while (") }, "\(report)")
      #expect(report.contains { $0.hasSuffix(" 1 × already waiting for a press") }, "\(report)")
      // A revocation by an owner takes effect at once.
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
      _ = try await app.next("MSG fix/updates")
      #expect(try await owner.reply(to: "SET peer status denied") == "+OK")
      _ = try await app.next("-ERR 422")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 411"))
    }
  }
}
