import Glibc
import Testing

@Suite struct RequestTests {
  @Test func `a request on the command line says that the press asked a question, and that nobody confirmed it`()
    async throws
  {
    try await Daemon.with { daemon in
      let request = try await daemon.request("--purpose", "To find parks")
      try await daemon.press(until: ["prompt"])
      try await request.reported("pressed once, and the light asks about this app: press again")
      try await daemon.press(until: ["served", "granted", "answered"])
      let finished = try await request.finish()
      #expect(finished.end == .exit(0) && finished.output.count == 1)

      let other = try await daemon.request("--app", "other", "--timeout", "20")
      try await daemon.press(until: ["prompt"])
      try await other.reported("pressed once")
      let unconfirmed = try await other.finish(within: .seconds(90))
      #expect(
        unconfirmed.end == .exit(3)
          && unconfirmed.errors.last?.contains("a user pressed once, and no user confirmed the press in time") == true,
        "\(unconfirmed)")
    }
  }

  @Test func `a press gives a waiting request one line of JSON and exit status 0`() async throws {
    try await Daemon.with(authorizing: "onefix") { daemon in
      let request = try await daemon.request()
      try await daemon.press(until: ["served", "granted"])
      let finished = try await request.finish()
      #expect(finished.end == .exit(0))
      try #require(finished.output.count == 1)
      let fix = try Fix(finished.output[0])
      let known: Set = [
        "time", "lat", "lon", "hacc", "alt", "vacc", "speed", "sacc", "course", "cacc", "fix", "sats", "accuracy",
        "measured", "age_ms", "geoid", "hdop", "pdop", "vdop", "quality",
      ]
      #expect(fix.keys.isSubset(of: known) && fix.accuracy == "full" && ["2d", "3d"].contains(fix["fix"]))
      #expect(fix.keys.isSuperset(of: ["time", "lat", "lon", "hacc", "sats", "measured", "age_ms"]))
      #expect(try #require(fix["measured"]) <= #require(fix["time"]))
    }
  }

  @Test(arguments: [
    ["request", "--nonsense"], ["request", "--timeout", "0"], ["request", "--accuracy", "rough"], ["dance"],
    ["press", "--for", "0"], ["log", "--since", "yesterday"], ["report", "--since", "yesterday"],
    ["request", "--purpose", "to find\nBYE"],
  ])
  func `wrong usage ends with 64 and prints the usage of its command`(words: [String]) async throws {
    let folder = try Folder()
    let command = try await Child(Program.onefix, words + ["--socket", folder.path("s")]).finish()
    #expect(command.end == .exit(64))
    #expect(command.output == [])
    let usage = "Usage: onefix \(words[0]) "
    #expect(words == ["dance"] || command.errors.contains { $0.hasPrefix(usage) }, "\(command.errors)")
    #expect(!command.errors.isEmpty)
  }

  @Test(arguments: [
    ["request"], ["status"], ["press"], ["hold"], ["log"], ["apps"], ["answer", "yes"], ["prompts", "--watch"],
  ])
  func `without a daemon a command ends with 7 and suggests to check whether the daemon runs`(words: [String])
    async throws
  {
    let folder = try Folder()
    let command = try await Child(Program.onefix, words, environment: ["ONEFIX_SOCKET": folder.path("s")]).finish()
    #expect(command.end == .exit(7))
    #expect(command.errors.contains { $0.contains("is onefixd running?") })
  }

  @Test func `a request to a daemon that does not answer ends at its time limit with 7, and at once by a signal`()
    async throws
  {
    try await Daemon.with { daemon in
      let interrupted = try await daemon.request()
      daemon.process.kill(SIGSTOP)
      interrupted.kill(SIGINT)
      // The limit is less than the 10 s of a reply.
      let end = try await interrupted.finish(within: .seconds(8)).end
      let request = try await daemon.onefix("request", "--timeout", "1")
      daemon.process.kill(SIGCONT)
      #expect(end == .signal(SIGINT) && request.end == .exit(7))
      #expect(request.errors.contains { $0.contains("the gateway did not answer within 1 s (is onefixd running?)") })
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends a request, and the next press no longer serves its app`(signal: Int32) async throws {
    try await Daemon.with(authorizing: "onefix") { daemon in
      let request = try await daemon.request()
      request.kill(signal)
      let finished = try await request.finish()
      #expect(finished.end == .signal(signal) && finished.output == [])
      #expect(finished.errors == ["waiting for a press of the button …"])
      try await daemon.status("armed", is: nil)
      #expect(try await daemon.press() == "nothing")
    }
  }

  @Test func `a request whose starter ignores a signal ignores the signal, too, as under nohup`() async throws {
    try await Daemon.with(authorizing: "onefix") { daemon in
      let request = try Child(
        "/bin/sh", ["-c", "trap '' HUP; exec \"$0\" request", Program.onefix],
        environment: ["ONEFIX_SOCKET": daemon.socket])
      try await request.reported("waiting for a press")
      request.kill(SIGHUP)
      _ = try await daemon.pressed(request)
    }
  }
}
