import Foundation
import Glibc
import Testing

/// Unmodified clients of gpsd: those of Debian, and a client of the tests.
@Suite struct GPSDEmulatorTests {
  @Test func `gpspipe sees no fix until a press, then one report with a position, then no fix again`() async throws {
    try await Daemon.withGPSD { daemon in
      let client = try daemon.gpspipe()
      try await client.wait(for: "WATCH")
      try await daemon.armed()
      try await client.waitForNoFix(more: 2)
      #expect(try client.positions().isEmpty)
      try await daemon.pressed()
      try await client.wait(for: "a position") { $0.contains(where: \.hasPosition) ? true : nil }
      // Neither time nor further presses give another fix.
      try await client.waitForNoFix(more: 2)
      try await daemon.press(until: ["nothing"])
      try await client.waitForNoFix()
      let reports = try client.positions()
      #expect(reports.count == 1 && reports[0].kind == "TPV" && reports[0].mode == 3)
      #expect(try client.reports().filter { $0.kind == "SKY" }.count == 1)
      #expect(try await daemon.served() == 1)
      let log = try await daemon.log()
      #expect(log.contains { $0.contains(#""transport":"gpsd""#) && $0.contains(#""app":"sailor""#) })
      #expect(log.contains { $0.contains(#""outcome":"sent""#) })
    }
  }

  @Test(arguments: [
    // The bytes of Signal K and of OpenCPN, which send no newline.
    #"{"class":"WATCH","nmea":true,"json":false}"#, #"{"class":"WATCH", "nmea":true}"#,
  ])
  func `a client that wants sentences gets those of one epoch for a press`(settings: String) async throws {
    try await Daemon.withGPSD { daemon in
      let client = try await daemon.gpsdClient()
      client.write(unended: "?WATCH=\(settings)")
      try await daemon.armed()
      let sentences = NMEAClient(carrier: client.carrier)
      try await sentences.noFix(more: 2)
      try await daemon.pressed()
      try await sentences.position()
      try await sentences.noFix(more: 2)
      #expect(sentences.positions.count == 1)
      let rest = sentences.received.filter { !NMEAClient.isVoid($0) && !$0.hasPrefix("$GNGSA") }
      #expect(rest.prefix(3).allSatisfy { $0.hasPrefix("{") })
      #expect(rest.dropFirst(3).map { $0.prefix(6) } == ["$GNRMC", "$GNGGA", "$GNGST"])
      // Signal K ends its use with these bytes.
      client.write("?WATCH={\"class\": \"WATCH\", \"json\":true, \"enable\":false}")
      _ = try await client.carrier.output.first("the answer") { received in
        received.lines.first { $0.hasPrefix(#"{"class":"WATCH","enable":false"#) }
      }
      #expect(try await daemon.served() == 1)
    }
  }

  @Test func `with a standing authorization a watch receives a stream that ends with the watch`() async throws {
    try await Daemon.withGPSD { daemon in
      try await daemon.onefix("allow", "sailor", "always")
      let client = try await daemon.watching()
      try await client.wait(for: "a stream") { $0.count { $0.hasPosition && $0.kind == "TPV" } >= 3 ? true : nil }
      #expect(try client.reports().contains { $0.kind == "SKY" })
      client.write(#"?WATCH={"enable":false}"#)
      _ = try await eventually("the end of the updates") {
        try await daemon.log().contains { $0.contains(#""event":"end""#) && $0.contains(#""outcome":"stopped""#) }
          ? true : nil
      }
      // The reply to the first poll is behind the last report of the stream.
      client.write("?POLL;")
      try await client.wait(for: "POLL")
      let count = try client.positions().count
      client.write("?POLL;")
      try await client.wait(for: "POLL", count: 2)
      #expect(try client.positions().count == count)
    }
  }

  @Test func `a gpsd with this gateway as its receiver gives its own clients the fix of a press`() async throws {
    try await Daemon.withGPSD { daemon in
      let address = try daemon.address("gpsd")
      let port = try Mosquitto.freePort()
      // gpsd opens its receiver before it drops its privileges.
      let gpsd = try Child("/usr/sbin/gpsd", ["-N", "-n", "-S", "\(port)", "gpsd://\(address.host):\(address.port)"])
      let client = try await eventually("a client of that gpsd") {
        let client = GPSDClient(carrier: try Child("gpspipe", ["-w", "127.0.0.1:\(port)"]))
        return try await client.carrier.output.first("its output") { received in
          received.isOver ? false : received.lines.contains { $0.contains("VERSION") } ? true : nil
        } ? client : nil
      }
      try await daemon.armed()
      try await daemon.pressed()
      try await client.wait(for: "a position") { $0.contains(where: \.hasPosition) ? true : nil }
      gpsd.kill(15)
    }
  }

  @Test func `garbage and floods are answered with errors, and other commands without details of the machine`()
    async throws
  {
    try await Daemon.withGPSD { daemon in
      let client = try await daemon.gpsdClient()
      for line in ["?VERSION;", "?DEVICES;", #"?DEVICE={"path":"/dev/ttyS0","bps":4800}"#, "?WATCH;", "?POLL;"] {
        client.write(line)
      }
      try await client.wait(for: "POLL")
      #expect(
        try client.reports().map(\.kind) == ["VERSION", "VERSION", "DEVICES", "DEVICE", "DEVICES", "WATCH", "POLL"])
      #expect(client.received.allSatisfy { !$0.contains("/dev/") && !$0.contains("simulated") })
      client.write("?NONSENSE;")
      client.write("?WATCH=7;")
      client.write("?" + String(repeating: "x", count: 9000))
      try await client.wait(for: "ERROR", count: 3)
      client.carrier.write(Array(String(repeating: "?POLL;\n", count: 3000).utf8))
      _ = try await client.wait(for: "a refusal") {
        $0.contains { $0.line.contains("more than 50 requests") } ? true : nil
      }
      // A client can end its watch at any time.
      client.write(#"?WATCH={"enable":false}"#)
      try await client.wait(for: "WATCH", count: 2)
      #expect(try await daemon.fix().accuracy == "full")
      #expect(try client.positions().isEmpty)
    }
  }

  @Test func `a client that closes its sending side at once gets the answers to its commands`() async throws {
    try await Daemon.withGPSD { daemon in
      let address = try daemon.address("gpsd")
      for (commands, kinds) in [
        ("?VERSION;?DEVICES;", ["VERSION", "VERSION", "DEVICES"]),
        (#"?WATCH={"enable":true};?POLL;"#, ["VERSION", "DEVICES", "WATCH", "POLL"]),
      ] {
        let script = "echo '\(commands)' | nc -N \(address.host) \(address.port)"
        for _ in 0..<3 {
          let answers = try await Child("sh", ["-c", script]).finish().output.map { try GPSDReport($0).kind }
          #expect(answers == kinds)
        }
      }
    }
  }

  // MARK: Other users

  /// Whether the tests may become another user.
  static let isRoot = geteuid() == 0

  @Test(.enabled(if: isRoot, "needs root, to run clients as other users"))
  func `each user is only its own app, and a user without an app receives only reports without a fix`() async throws {
    func asUser(_ uid: Int) -> [String] { ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] }
    try await Daemon.withGPSD { daemon in
      let stranger = try daemon.gpspipe(asUser(4243))
      let guest = try daemon.gpspipe(asUser(4242))
      try await daemon.armed("guest")
      try await daemon.pressed(serving: "guest")
      try await guest.wait(for: "a position") { $0.contains(where: \.hasPosition) ? true : nil }
      #expect(try await daemon.served("sailor") == 0)
      try await stranger.waitForNoFix(more: 2)
      #expect(try Set(stranger.reports().map(\.kind)) == ["VERSION", "DEVICES", "WATCH", "TPV"])
      #expect(try stranger.reports().allSatisfy { $0.mode == nil || $0.mode == 1 })
      let received = daemon.process.errors.value.lines
      #expect(received.contains { $0.contains("uid 4243") && $0.contains("belongs to no app") })
      #expect(received.count { $0.contains("connected") && $0.contains("over=gpsd") } == 1)
    }
  }

  // MARK: Debian's clients

  @Test(arguments: ["cgps", "gpsmon"])
  func `a client with a screen shows no fix, then the fix of a press, and continues`(name: String) async throws {
    try await Daemon.withGPSD { daemon in
      let address = try daemon.address("gpsd")
      // `script` provides a terminal.
      let screen = try Child(
        "script", ["-qfec", "stty rows 60 cols 160; exec \(name) \(address.host):\(address.port)", "/dev/null"],
        environment: ["TERM": "xterm"])
      try await daemon.armed()
      try await daemon.pressed()
      _ = try await screen.output.first("its position on the screen of \(name)") { received in
        if received.isOver { throw Peer.HungUp(received: received) }
        // The simulated walk is in Zurich.
        return "\(received)".contains("47.3") ? true : nil
      }
      // The client continues and receives a report without a fix.
      let shown = screen.output.value
      _ = try await screen.output.first("more on the screen") {
        if $0.isOver { throw Peer.HungUp(received: $0) }
        return $0.lines.count > shown.lines.count || $0.rest.count > shown.rest.count ? true : nil
      }
      #expect(try await daemon.served() == 1)
      screen.write(Array("q".utf8))
    }
  }

  @Test func `the gps module of Python receives the fix of a press`() async throws {
    try await Daemon.withGPSD { daemon in
      let address = try daemon.address("gpsd")
      let program = """
        import gps
        session = gps.gps(host="\(address.host)", port="\(address.port)", mode=gps.WATCH_ENABLE | gps.WATCH_JSON)
        for report in session:
            if report["class"] == "TPV":
                position = "%.6f" % report.lat if report.mode > 1 else "none"
                print(report.mode, position, len(session.satellites), flush=True)
        """
      let client = try Child("/usr/bin/python3", ["-c", program])
      try await daemon.armed()
      try await client.printed("1 none")
      try await daemon.pressed()
      _ = try await client.output.first("a fix, and none after it") { received in
        guard let index = received.lines.firstIndex(where: { $0.hasPrefix("3 47.") }) else { return nil as Bool? }
        return received.lines.count > index + 2 ? true : nil
      }
      #expect(client.output.value.lines.count { $0.hasPrefix("3 ") } == 1)
    }
  }
}
