import Glibc
import OneFixClient
import Repository
import Testing

@Suite struct ClientTests {
  private static let clients = "\(Repository.root)/Sources/Documentation/clients"
  private static let hasty = OneFixClient.Options(
    backoff: Backoff(first: .milliseconds(20), longest: .milliseconds(200)))

  /// Kills a daemon and starts another one in the same folder.
  private func restart(_ daemon: Daemon, configuration: String = "") async throws -> Daemon {
    daemon.process.kill(SIGKILL)
    try await daemon.process.finish()
    return try await Daemon.start(in: daemon.folder, configuration: configuration)
  }

  @Test func `a request survives a restart of the daemon and is served once by the next daemon`() async throws {
    var daemon = try await Daemon.start()
    try await daemon.authorize("peer")
    let client = try await OneFixClient.connect(.unix(daemon.socket), app: "peer", options: Self.hasty)
    let armed = Observed(0)
    let asking = Task { try await client.requestOnce(armed: { armed.change { $0 += 1 } }) }
    _ = try await armed.first("the arm") { $0 == 1 ? true : nil }
    daemon = try await restart(daemon)
    let next = daemon
    _ = try await eventually("the arm at the next daemon") { try await next.status()["armed"] }
    try await daemon.press(until: ["served", "granted"])
    let fix = try await asking.value
    #expect(fix.horizontalAccuracy ?? 0 > 0)
    _ = try await eventually("its acknowledgement") {
      try await next.log().last?.contains(#""outcome":"acknowledged""#) == true ? true : nil
    }
    #expect(try await daemon.log().count { $0.contains(#""event":"disclosure""#) } == 2, "one of them the introduction")
    #expect(armed.value == 1)
    await client.close()
    #expect(try await daemon.stop().end == .exit(0))
  }

  @Test(.timeLimit(.minutes(10)))
  func `a request continues in its session after its connection is lost, and a press meanwhile serves the request`()
    async throws
  {
    try await Daemon.with(authorizing: "peer") { daemon in
      let introduced = ContinuousClock.now
      let relay = try await Relay(at: daemon.folder.path("relay"), to: daemon.socket)
      let client = try await OneFixClient.connect(.unix(daemon.folder.path("relay")), app: "peer", options: Self.hasty)
      let armed = Observed(0)
      let asking = Task { try await client.requestOnce(armed: { armed.change { $0 += 1 } }) }
      _ = try await armed.first("the arm") { $0 == 1 ? true : nil }
      // A press soon after a fix serves no request, nor a request without the mark for one second. The grace period is
      // short.
      let waiting = ContinuousClock.now
      _ = try await eventually("two seconds without a fix") {
        ContinuousClock.now - max(introduced, waiting - .seconds(2)) > .seconds(3) ? true : nil
      }
      relay.interrupt()
      for try await state in client.connection { if case .lost = state { break } }
      #expect(["granted", "served"].contains(try await daemon.press()))
      relay.restore()
      #expect(try await asking.value.accuracy == .full)
      #expect(armed.value == 1)
      #expect(try await daemon.log().count { $0.contains(#""event":"disclosure""#) } == 2)
      await client.close()
    }
  }

  @Test func `park-finder continues after a restart of the daemon, and a press lists parks`() async throws {
    let configuration = "[[app]]\nid = \"park-finder\"\nuid = \(getuid())\n"
    var daemon = try await Daemon.start(configuration: configuration)
    let finder = try Child(Program.parkFinder, ["--again", "--count", "2", "--socket", daemon.socket])
    _ = try await finder.output.first("the arm") { $0.lines.first { $0.contains("press the button") } }
    daemon = try await restart(daemon, configuration: configuration)
    _ = try await finder.output.first("the reconnection") {
      $0.lines.first { $0.contains("the gateway is connected again") }
    }
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
        _ = try await child.errors.first("the arm") { received in
          if received.isOver { throw Daemon.Unready(received: received) }
          return received.lines.first { $0.hasPrefix("waiting for a press") }
        }
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
      let owner = try await Peer.owner(daemon)
      #expect(try await owner.reply(to: "SET peer status always") == "+OK")
      let child = try Child(
        "python3", ["-B", "\(Self.clients)/onefix.py", "--app", "peer", "--socket", daemon.socket, "--updates", "2"])
      let finished = try await child.finish()
      #expect(finished.end == .exit(0) && finished.output.count == 2, "\(finished)")
      for line in finished.output { #expect(try Fix(line).accuracy == "full") }
    }
  }
}
