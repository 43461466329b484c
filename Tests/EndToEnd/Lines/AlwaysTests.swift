import Testing

@Suite struct AlwaysTests {
  /// Returns an app that asked for "always", received "while in use" and therefore sees "always", and an owner.
  private func provisional(_ daemon: Daemon) async throws -> (app: Peer, owner: Peer) {
    let app = try await Peer.connected(daemon)
    let owner = try await Peer.owner(daemon)
    _ = try await owner.reply(to: "SUB owner/prompt asked")
    _ = try await app.reply(to: "SUB # all")
    #expect(try await app.reply(to: "AUTHORIZE always purpose=To find the boat").hasPrefix("+OK state=asking"))
    #expect(try await owner.next("MSG owner/prompt asked").contains(#""kind":"authorize-always""#))
    #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
    _ = try await app.next { $0.hasPrefix("MSG authorization all") && $0.contains(#""status":"always""#) }
    #expect(try await daemon.sqlite("SELECT status, provisional FROM app WHERE app = 'peer'") == ["whenInUse|1"])
    return (app, owner)
  }

  /// Ends the use that the answer began. A start then needs "always".
  private func startOutOfUse(_ app: Peer, _ owner: Peer) async throws -> Int {
    #expect(try await app.reply(to: "STATE background") == "+OK")
    // The app cannot tell when its use ended. An owner can.
    // A session may send 20 commands in a second.
    _ = try await eventually("the end of its use", each: .milliseconds(100)) {
      try await owner.reply(to: "SESSIONS app=peer")
      return owner.received("MSG owner/sessions").last?.contains(#""in-use":false"#) == true ? true : nil
    }
    #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
    let asked = try await owner.next("MSG owner/prompt asked")
    return try #require(asked.firstMatch(of: /"prompt":(\d+),.*"kind":"always"/).flatMap { Int($0.1) })
  }

  @Test func `a start while not in use waits until the user answers "always", and is then served`() async throws {
    try await Daemon.with { daemon in
      let (app, owner) = try await provisional(daemon)
      let prompt = try await startOutOfUse(app, owner)
      let given = app.received("MSG fix/updates").count
      #expect(try await app.reply(to: "STATUS").contains("authorization=always"))
      #expect(app.received("MSG fix/updates").count == given)
      #expect(app.received.last { $0.hasPrefix("MSG indicator") }?.contains("prompt") == false)
      #expect(try await owner.reply(to: "ANSWER \(prompt) always") == "+OK")
      _ = try await app.next("MSG fix/updates")
      #expect(
        try await daemon.log().contains { $0.contains(#""event":"interval""#) && $0.contains(#""right":"always""#) })
      #expect(try await daemon.sqlite("SELECT status, provisional FROM app WHERE app = 'peer'") == ["always|0"])
    }
  }

  @Test func `after a denial the app still sees "always": a start is acquiring and then ends without a fix`()
    async throws
  {
    try await Daemon.with { daemon in
      let (app, owner) = try await provisional(daemon)
      let prompt = try await startOutOfUse(app, owner)
      let count = app.received("MSG authorization").count
      let given = app.received("MSG fix/updates").count
      let start = ContinuousClock.now
      #expect(try await owner.reply(to: "ANSWER \(prompt) no") == "+OK")
      #expect(try await app.reply(to: "STATUS").contains("authorization=always"))
      #expect(try await daemon.sqlite("SELECT status, provisional FROM app WHERE app = 'peer'") == ["whenInUse|0"])
      // A new session sees the same.
      let again = try await Peer.connected(daemon)
      #expect(try await again.reply(to: "STATUS").contains("authorization=always"))
      #expect(try await again.reply(to: "START updates") == "+OK state=acquiring")
      #expect(try await app.next("-ERR", within: .seconds(180)).hasPrefix("-ERR 510 no-fix"))
      #expect(try await again.next("-ERR", within: .seconds(180)).hasPrefix("-ERR 510 no-fix"))
      #expect(ContinuousClock.now - start > .seconds(50), "as late as where a receiver finds no fix")
      #expect(app.received("MSG authorization").count == count)
      #expect(app.received("MSG fix/updates").count == given && again.received("MSG fix/updates").isEmpty)
    }
  }

  @Test func `a one-time full accuracy is valid for the session that asked, while its app is in use`() async throws {
    try await Daemon.withNode { daemon in
      let app = try await Peer.connected(daemon)
      let owner = try await Peer.owner(daemon)
      _ = try await owner.reply(to: "SUB owner/prompt asked")
      _ = try await app.reply(to: "SUB authorization mine")
      #expect(try await app.reply(to: "AUTHORIZE full-accuracy").hasPrefix("-ERR 405"), "without what for")
      #expect(try await app.reply(to: "AUTHORIZE when-in-use").hasPrefix("+OK state=asking"))
      let question = try questionNumber(try await owner.next("MSG owner/prompt asked"))
      #expect(try await owner.reply(to: "ANSWER \(question) while-using accuracy=reduced") == "+OK")
      _ = try await app.next { $0.contains(#"{"status":"whenInUse","accuracy":"reduced"}"#) }
      #expect(try await app.reply(to: "REQ once") == "+OK state=acquiring")
      #expect(try await app.next("MSG fix/once").contains(#""accuracy":"reduced""#))

      let other = try await Peer.connected(daemon)
      #expect(try await app.reply(to: "AUTHORIZE full-accuracy purpose=To pick you up").hasPrefix("+OK state=asking"))
      let prompt = try await owner.next { $0.contains(#""state":"open""#) }
      #expect(prompt.contains(#""kind":"precise""#) && prompt.contains(#""says":"To pick you up""#))
      let number = try questionNumber(prompt)
      #expect(try await owner.reply(to: "ANSWER \(number) yes") == "+OK")
      _ = try await app.next { $0.contains(#"{"status":"whenInUse","accuracy":"full"}"#) }
      #expect(try await app.reply(to: "REQ once") == "+OK state=acquiring")
      #expect(try await app.next("MSG fix/once").contains(#""accuracy":"full""#))
      #expect(try await other.reply(to: "STATUS").contains("accuracy=reduced"))
      #expect(try await daemon.sqlite("SELECT accuracy FROM app WHERE app = 'peer'") == ["reduced"])

      #expect(try await app.reply(to: "STATE background") == "+OK")
      _ = try await app.next { $0.contains(#"{"status":"whenInUse","accuracy":"reduced"}"#) }
    }
  }

  @Test func `"allow once" is valid for the session that asked, until the session ends`() async throws {
    try await Daemon.with { daemon in
      let app = try await Peer.connected(daemon)
      let owner = try await Peer.owner(daemon)
      _ = try await owner.reply(to: "SUB owner/prompt asked")
      _ = try await app.reply(to: "SUB authorization mine")
      #expect(try await app.reply(to: "AUTHORIZE when-in-use").hasPrefix("+OK state=asking"))
      _ = try await owner.next("MSG owner/prompt asked")
      #expect(try await owner.reply(to: "ANSWER 1 once") == "+OK")
      _ = try await app.next { $0.contains(#""status":"whenInUse""#) }
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
      _ = try await app.next("MSG fix/updates")
      #expect(try await app.reply(to: "BYE") == "+OK")
      let again = try await Peer.connected(daemon)
      #expect(try await again.reply(to: "STATUS").contains("authorization=notDetermined"))
      #expect(try await again.reply(to: "START updates").hasPrefix("-ERR 410"))
    }
  }
}
