import Glibc
import Repository
import Testing

@Suite struct ClientTests {
  private static let clients = "\(Repository.root)/Sources/Documentation/clients"

  @Test func `park-finder continues after a restart of the daemon, and a press lists parks`() async throws {
    let configuration = "[[app]]\nid = \"park-finder\"\nuid = \(getuid())\n"
    var daemon = try await Daemon.start(configuration: configuration)
    let finder = try Child(Program.parkFinder, ["--again", "--count", "2", "--socket", daemon.socket])
    try await finder.printed("press the button")
    daemon.process.kill(SIGKILL)
    try await daemon.process.finish()
    daemon = try await Daemon.start(in: daemon.folder, configuration: configuration)
    try await finder.printed("the gateway is connected again")
    let next = daemon
    _ = try await eventually("a list of parks") {
      if finder.output.value.lines.contains(where: { $0.contains("the nearest parks") }) { return true }
      try await next.press()
      return nil
    }
    let lines = try await finder.output.first("two parks") { output in
      output.lines.count { $0.contains(" m  ") || $0.contains(" km  ") } >= 2 ? output.lines : nil
    }
    for text in ["the gateway is disconnected", "thank you"] {
      #expect(lines.contains { $0.contains(text) }, "\(text)")
    }
    finder.kill(SIGTERM)
    #expect(try await daemon.stop().end == .exit(0))
  }

  @Test(arguments: [
    ["python3", "-B", "onefix.py", "--app", "peer", "--socket", "SOCKET"], ["sh", "ask-once.sh", "peer", "SOCKET"],
  ])
  func `the clients without dependencies receive their fix and print the messages of the gateway`(words: [String])
    async throws
  {
    try await Daemon.with(authorizing: "peer") { daemon in
      let words = words.map { word in
        word == "SOCKET" ? daemon.socket : word.contains(".") ? "\(Self.clients)/\(word)" : word
      }
      func begin() async throws -> Child {
        let child = try Child(words[0], Array(words.dropFirst()))
        try await child.reported("waiting for a press")
        return child
      }
      let served = try await begin()
      let fix = try await daemon.pressed(served)
      #expect(fix.accuracy == "full" && (fix.number("hacc") ?? 0) > 0)
      _ = try await eventually("its acknowledgement") {
        try await daemon.log().last?.contains(#""outcome":"acknowledged""#) == true ? true : nil
      }
      let refused = try await begin()
      try await daemon.hold()
      let finished = try await refused.finish()
      #expect(finished.end == .exit(1) && finished.errors.contains { $0.contains("414 locked") }, "\(finished)")
    }
  }

  @Test func `the Python client receives updates until it stops them`() async throws {
    try await Daemon.with(authorizing: "peer") { daemon in
      _ = try await Peer.owner(daemon, "SET peer status always")
      let child = try Child(
        "python3", ["-B", "\(Self.clients)/onefix.py", "--app", "peer", "--socket", daemon.socket, "--updates", "2"])
      let finished = try await child.finish()
      #expect(finished.end == .exit(0) && finished.output.count == 2, "\(finished)")
      for line in finished.output { #expect(try Fix(line).accuracy == "full") }
    }
  }
}
