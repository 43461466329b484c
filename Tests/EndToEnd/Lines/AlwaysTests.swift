import Testing

@Suite struct AlwaysTests {
  @Test func `a start while not in use waits until the user answers "always", and is then served`() async throws {
    try await Daemon.with { daemon in
      let app = try await Peer.connected(daemon)
      let owner = try await Peer.owner(daemon)
      _ = try await owner.reply(to: "SUB owner/prompt asked")
      _ = try await app.reply(to: "SUB # all")
      #expect(try await app.reply(to: "AUTHORIZE always purpose=To find the boat").hasPrefix("+OK state=asking"))
      #expect(try await owner.next("MSG owner/prompt asked").contains(#""kind":"authorize-always""#))
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
      _ = try await app.next { $0.hasPrefix("MSG authorization all") && $0.contains(#""status":"always""#) }
      #expect(try await daemon.sqlite("SELECT status, provisional FROM app WHERE app = 'peer'") == ["whenInUse|1"])
      // The end of the use that the answer began. A start then needs "always".
      #expect(try await app.reply(to: "STATE background") == "+OK")
      // The app cannot tell when its use ended. An owner can. A session may send 20 commands in a second.
      _ = try await eventually("the end of its use", each: .milliseconds(100)) {
        try await owner.reply(to: "SESSIONS app=peer")
        return owner.received("MSG owner/sessions").last?.contains(#""in-use":false"#) == true ? true : nil
      }
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
      let asked = try await owner.next("MSG owner/prompt asked")
      #expect(asked.contains(#""kind":"always""#))
      let prompt = try questionNumber(asked)
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
}
