import Testing

@Suite struct PromptTests {
  @Test func `a hold denies the prompt with exit status 4, and the next request prompts again`() async throws {
    try await Daemon.with { daemon in
      let request = try await daemon.request()
      try await daemon.press(until: ["prompt"])
      #expect(try await daemon.hold() == "answered")
      #expect(try await request.finish().end == .exit(4))
      #expect(try await daemon.status()["locked"] == "false")

      let owner = try await Peer.owner(daemon, "SUB owner/prompt asked")
      let second = try await daemon.request()
      try await daemon.press(until: ["prompt"])
      #expect(try await owner.next("MSG owner/prompt asked").contains(#""kind":"introduce""#))
      try await daemon.press(until: ["served", "granted"])
      #expect(try await second.finish().end == .exit(0))
    }
  }

  @Test func `a denial survives a restart`() async throws {
    let daemon = try await Daemon.start()
    let request = try await daemon.request()
    try await daemon.press(until: ["prompt"])
    try await daemon.hold()
    #expect(try await request.finish().end == .exit(4))
    #expect(try await daemon.stop().end == .exit(0))
    let again = try await Daemon.start(in: daemon.folder)
    let peer = try await Peer.connected(again, app: "onefix")
    #expect(try await peer.reply(to: "STATUS").contains("authorization=denied"))
    try await again.stop()
  }
}

@Suite struct LockTests {
  @Test func `a hold without an open request locks the gateway, also across a restart, and a hold unlocks it`()
    async throws
  {
    let daemon = try await Daemon.start()
    try await daemon.authorize()
    let waiting = try await daemon.request()
    #expect(try await daemon.hold() == "locked")
    #expect(try await waiting.finish().end == .exit(5))
    #expect(try await daemon.onefix("request").end == .exit(5))
    #expect(try await daemon.stop().end == .exit(0))

    let again = try await Daemon.start(in: daemon.folder)
    let status = try await again.status()
    #expect(status["locked"] == "true" && status["indicator"] == "locked")
    #expect(try await again.onefix("request").end == .exit(5))
    #expect(try await again.press() == "nothing")
    #expect(try await again.hold() == "unlocked")
    #expect(try await again.fix().accuracy == "full")
    #expect(try await again.stop().end == .exit(0))
  }
}
