import Foundation
import Glibc
import Requirements
import Testing

/// Metrics as the parsers of other projects read them.
struct ReadMetrics {
  static let isPossible = FileManager.default.isReadableFile(
    atPath: "/usr/lib/python3/dist-packages/prometheus_client/openmetrics/parser.py")

  /// Parses the metrics as OpenMetrics and as the Prometheus text format, and prints the values of both.
  private static let program = """
    import json, sys
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
    from prometheus_client.parser import text_string_to_metric_families as prometheus
    text = sys.stdin.read()
    def samples(families):
        return {s.name + "".join(" %s=%s" % pair for pair in sorted(s.labels.items())): s.value
                for f in families for s in f.samples}
    families = list(openmetrics(text))
    found = samples(families)
    assert found == samples(prometheus(text)), "they are read differently"
    for f in families:
        assert f.documentation and f.type in ("counter", "gauge", "histogram"), f.name
        assert f.name.startswith("onefix_"), f.name
    print(json.dumps(found))
    """

  /// The values, by name and labels, for example `onefix_presses_total outcome=served`.
  let values: [String: Double]

  init(_ text: String) async throws {
    let reader = try Child("/usr/bin/python3", ["-c", Self.program])
    reader.write(Array(text.utf8))
    reader.closeInput()
    let end = try await reader.finish()
    try #require(end.end == .exit(0), "\(end.errors) in \(text)")
    values = try JSONDecoder().decode([String: Double].self, from: Data(end.output.joined().utf8))
  }
}

@Suite(.needs("apt-get install python3-prometheus-client", ReadMetrics.isPossible))
struct MetricsTests {
  private func metrics(_ daemon: Daemon) async throws -> [String: Double] {
    let received = try await daemon.onefix("metrics")
    try #require(received.end == .exit(0), "\(received.errors)")
    #expect(received.output.last == "# EOF")
    return try await ReadMetrics(received.output.joined(separator: "\n") + "\n").values
  }

  @Test func `events are counted, and the parsers of both formats read the same values`() async throws {
    try await Daemon.with { daemon in
      let before = try await metrics(daemon)
      #expect(before["onefix_presses_total outcome=served"] == 0 && before["onefix_press_to_fix_seconds_count"] == 0)
      try await daemon.authorize()
      #expect(try await daemon.onefix("request", "--timeout", "3").end == .exit(3))
      #expect(try await daemon.onefix("request", "--timeout", "3", "--app", "stranger").end == .exit(3))
      let values = try await metrics(daemon)
      for name in [
        "onefix_disclosures_total accuracy=full app=onefix", "onefix_grants_total right=once",
        "onefix_refusals_total app=onefix reason=no-press", "onefix_refusals_total app=(other) reason=no-press",
        "onefix_presses_total outcome=prompt", "onefix_press_to_fix_seconds_count", "onefix_receiver_state state=ready",
        "onefix_store_write_seconds_count write=disclosure", "onefix_receiver_time_to_first_fix_seconds_count",
      ] {
        #expect(values[name] == 1, "\(name)")
      }
      for (name, range) in [
        ("onefix_store_write_seconds_sum write=disclosure", 1e-9...60), ("onefix_receiver_epochs_total", 2...1e6),
        ("onefix_receiver_frames_total", 2...1e6), ("onefix_receiver_satellites_used", 4...64),
        ("onefix_receiver_horizontal_accuracy_meters", 0.1...50), ("onefix_receiver_signal_strength_dbhz", 10...60),
        ("onefix_process_resident_memory_bytes", 1e6...1e12), ("onefix_process_open_fds", 6...1e6),
      ] as [(String, ClosedRange<Double>)] {
        #expect(range.contains(values[name] ?? 0), "\(name)")
      }
      for write in ["disclosure", "outcome", "right", "sealed", "upkeep"] {
        #expect(values["onefix_store_write_failures_total write=\(write)"] == 0, "\(write)")
      }
      #expect(abs((values["onefix_process_start_time_seconds"] ?? 0) - Date().timeIntervalSince1970) < 600)
      let version = try await Child(Program.onefixd, ["--version"]).finish().output.first?.split(separator: " ").last
      #expect(values["onefix_build_info version=\(version ?? "")"] == 1)

      let (owner, app) = (try await Peer.owner(daemon), try await Peer.connected(daemon))
      #expect(try await owner.reply(to: "SET peer status always") == "+OK")
      #expect(try await app.reply(to: "START updates interval=0").hasPrefix("+OK"))
      for _ in 0..<3 { _ = try await app.next("MSG fix/updates") }
      let later = try await metrics(daemon)
      #expect(later["onefix_update_fixes_total accuracy=full"] ?? 0 >= 3)
      #expect(later["onefix_updates_running"] == 1 && later["onefix_sessions"] == 1)
      #expect(later["onefix_dropped_updates_total"] == 0 && later["onefix_owner_connections"] ?? 0 >= 2)
      #expect(try await app.reply(to: "METRICS").hasPrefix("-ERR 432"))
    }
  }

  @Test
  func `a metrics file that cannot be written is reported once, later written periodically, and removed at the end`()
    async throws
  {
    let folder = try Folder()
    let path = folder.path("later/onefix.prom")
    let daemon = try await Daemon.start(in: folder, configuration: "[metrics]\nfile = \"\(path)\"\ninterval_s = 1\n")
    try await daemon.process.reported("cannot write the metrics", "create its folder")
    try FileManager.default.createDirectory(atPath: folder.path("later"), withIntermediateDirectories: false)
    let first = try await eventually("a file") { try? String(contentsOfFile: path, encoding: .utf8) }
    #expect(try await ReadMetrics(first).values["onefix_holds_total"] == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try await daemon.hold() == "locked")
    _ = try await eventually("the hold in the file") {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let isLocked = text.contains("\nonefix_holds_total 1\n") && text.contains("\nonefix_locked 1\n")
      return text.hasSuffix("# EOF\n") && isLocked ? true : nil
    }
    #expect(daemon.process.errors.value.lines.count { $0.contains("cannot write the metrics") } == 1)
    #expect(try await daemon.stop().end == .exit(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("later")) == [])
  }
}

/// The log levels of the subsystems.
@Suite struct LogLevelTests {
  @Test func `each subsystem has its own log level, which a reload reads again, and the command line overrides`()
    async throws
  {
    try await Daemon.with(configuration: "[log]\nserver = \"info\"\n") { daemon in
      let app = try await Peer.connected(daemon)
      try await daemon.process.reported(" info server: ", "] connected")
      #expect(try await app.reply(to: "REQ once").hasPrefix("+OK"))
      #expect(!daemon.process.errors.value.description.contains("accepted"))
      let other = "[log]\nlevel = \"error\"\ngateway = \"info\"\n"
      _ = try daemon.folder.write(other + Daemon.configuration, to: "onefix.toml")
      #expect(try await daemon.onefix("reload").end == .exit(0))
      let next = try await Peer.connected(daemon, app: "other")
      #expect(try await next.reply(to: "REQ once").hasPrefix("+OK"))
      try await daemon.process.reported(" info gateway: ", "app=other", "accepted")
      #expect(daemon.process.errors.value.lines.count { $0.hasSuffix("] connected") } == 1)
    }
    // A level on the command line overrides the configuration.
    let daemon = try await Daemon.start(
      configuration: "[log]\nserver = \"info\"\n", ["--log-level", "gateway=info,error"])
    #expect(try await Peer.connected(daemon).reply(to: "REQ once").hasPrefix("+OK"))
    try await daemon.process.reported(" info gateway: ", "accepted")
    #expect(!daemon.process.errors.value.description.contains("] connected"))
    try await daemon.stopChecked()
  }
}
