import Testing

@Suite struct StandingUseTests {
  /// Returns an app that was allowed "while in use" a moment ago, and an owner.
  private func allowed(_ daemon: Daemon) async throws -> (app: Peer, owner: Peer) {
    let app = try await Peer.connected(daemon)
    let owner = try await Peer.owner(daemon)
    _ = try await owner.reply(to: "SUB owner/prompt asked")
    _ = try await app.reply(to: "SUB authorization mine")
    let reply = try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn of shallows, in time")
    #expect(reply.hasPrefix("+OK ") && reply.contains("state=asking") && reply.contains("authorization=notDetermined"))
    let prompt = try await owner.next("MSG owner/prompt asked")
    #expect(prompt.contains(#""kind":"authorize""#) && prompt.contains(#""says":"To warn of shallows, in time""#))
    #expect(prompt.contains(#""choices":"once,while-using,no""#))
    let number = try questionNumber(prompt)
    #expect(try await owner.reply(to: "ANSWER \(number) always").hasPrefix("-ERR 405"))
    #expect(try await owner.reply(to: "ANSWER \(number) while-using") == "+OK")
    _ = try await app.next { $0.contains(#""status":"whenInUse""#) }
    return (app, owner)
  }

  @Test func `an allowed app receives fixes without a press while it is in use, and the log has each interval`()
    async throws
  {
    try await Daemon.with { daemon in
      let (app, owner) = try await allowed(daemon)
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
      #expect(try await app.reply(to: "AUTHORIZE always").hasPrefix("-ERR 411"))
      #expect(try await owner.reply(to: "SET peer status whenInUse") == "+OK")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 413"))
      #expect(try await owner.reply(to: "USE peer") == "+OK")
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
      #expect(try await owner.reply(to: "RESET peer") == "+OK")
      _ = try await app.next("-ERR 422")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 410"))
      #expect(try await daemon.sqlite("SELECT count(*) FROM app WHERE app = 'peer'") == ["0"])
    }
  }

  @Test func `approximate updates come at the quarter hours of UTC, also without a new fix, and contain the node`()
    async throws
  {
    let terminal = try Terminal()
    try await Daemon.withNode(receiver: "uart:\(terminal.path):115200") { daemon in
      let (app, owner) = try await allowed(daemon)
      #expect(try await owner.reply(to: "SET peer accuracy reduced") == "+OK")
      #expect(try await owner.reply(to: "USE peer") == "+OK")
      _ = try await owner.reply(to: "SUB receiver sky")
      // The log starts at 07:29:50 and ends before the quarter hour.
      let feed = Feed(RecordedLog.walk(from: 1790, seconds: 4), into: terminal, every: 1)
      _ = try await owner.next { $0.hasPrefix("MSG receiver") && $0.contains(#""state":"ready""#) }
      #expect(try await app.reply(to: "START updates interval=0") == "+OK state=acquiring")
      let first = try Fix(String(try await app.next("MSG fix/updates - ").dropFirst(18)))
      #expect(first["time"] == "2026-11-21T07:15:00.000Z")
      #expect(first.keys == ["time", "lat", "lon", "hacc", "accuracy"] && first.accuracy == "reduced")
      let second = try Fix(String(try await app.next("MSG fix/updates - ").dropFirst(18)))
      #expect(second["time"] == "2026-11-21T07:30:00.000Z")
      #expect((second.latitude, second.longitude) == (first.latitude, first.longitude))
      feed.stop()
      // The gateway sent no other updates.
      #expect(app.received("MSG fix/updates").count == 2)
      #expect(try await app.reply(to: "STOP updates") == "+OK")
      let log = try await daemon.log()
      #expect(log.contains { $0.contains(#""event":"interval""#) && $0.contains(#""accuracy":"reduced""#) })
      #expect(try #require(log.last).contains(#""outcome":"stopped","fixes":2"#))
    }
  }

  @Test func `updates end 5 s after the app enters the background, unless they were started for the background`()
    async throws
  {
    try await Daemon.with { daemon in
      let (app, _) = try await allowed(daemon)
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
      _ = try await app.next("MSG fix/updates")
      let start = ContinuousClock.now
      #expect(try await app.reply(to: "STATE background") == "+OK")
      _ = try await app.next("-ERR 413")
      #expect(ContinuousClock.now - start >= .seconds(5))
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 413"))
      #expect(try await app.reply(to: "STATE foreground") == "+OK")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 413"), "nobody acted for it since")
    }
  }
}
