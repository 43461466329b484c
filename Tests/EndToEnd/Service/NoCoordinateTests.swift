import Foundation
import Glibc
import Requirements
import Sentences
import Testing

/// A search for the positions of the device in everything that a day of use has written.
@Suite(.needsMosquitto)
struct NoCoordinateTests {
  /// A log with one epoch per minute, always in motion, and the positions of its first day. Ten days go to and fro
  /// between these positions, so that the log does not end before the test, however busy the machine is.
  private static let day: (log: String, positions: [CoordinateSearch.Position]) = {
    var positions: [CoordinateSearch.Position] = []
    let log = (0..<14_400).map { number in
      let (day, minute) = (number / 1440, number % 1440)
      let place = day % 2 == 0 ? minute : 1439 - minute
      let (north, west) = (12.61237 + Double(place) * 0.0075, 6.01237 + Double(place) * 0.03)
      let fields = (String(format: "61%08.5f", north), String(format: "149%08.5f", west))
      if day == 0 { positions.append(.init(latitude: 61 + north / 60, longitude: -(149 + west / 60))) }
      let time = String(format: "%02d%02d00.00", minute / 60, minute % 60)
      return nmeaSentence("GPRMC,\(time),A,\(fields.0),N,\(fields.1),W,0.6,298.0,\(21 + day)1126,,,A")
        + nmeaSentence("GPGGA,\(time),\(fields.0),N,\(fields.1),W,1,09,0.9,31.2,M,12.1,M,,")
        + nmeaSentence("GPGST,\(time),,,,,2.1,2.3,4.0")
    }.joined()
    return (log, positions)
  }()

  /// The data that a user without an app can read.
  private struct Written {
    var sources: [(name: String, bytes: [UInt8])] = []

    mutating func add(_ name: String, _ bytes: [UInt8]) { sources.append((name, bytes)) }

    mutating func add(_ name: String, _ lines: [String]) { add(name, Array(lines.joined(separator: "\n").utf8)) }

    /// Adds every file of a folder and of its subfolders.
    mutating func add(folder: Folder, but left: Set<String>) throws {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !left.contains(name) {
        if let bytes = FileManager.default.contents(atPath: folder.path(name)) { add(name, Array(bytes)) }
      }
    }

    func findings(_ search: CoordinateSearch) async throws -> [String] {
      try await onThread { [sources] in
        sources.flatMap { source in search.findings(in: source.bytes).prefix(3).map { "\(source.name): \($0)" } }
      }
    }
  }

  /// Owners with an open page, with top, and at the console.
  private struct Onlookers {
    private let listener: TCPConnection
    private let line: SerialLine
    private let top: Child
    private let console: ConsoleTerminal

    /// Returns the configuration that they need.
    static func configuration(_ console: ConsoleTerminal) -> String {
      "[page]\nport = 0\n[console]\nport = \"\(console.path)\"\n"
    }

    init(_ daemon: Daemon, _ console: ConsoleTerminal) async throws {
      self.console = console
      let peer = try PageClient(daemon)
      listener = try peer.listen(as: try await peer.session(daemon), page: "2000")
      line = try SerialLine(speed: 1_000_000)
      try await Child("stty", ["-F", line.path, "115200", "rows", "50", "cols", "132"]).finish()
      top = try Child(
        "/bin/sh", ["-c", "exec \"$0\" top --socket \"$1\" <\"$2\" >\"$2\"", Program.onefix, daemon.socket, line.path],
        environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm"])
      try await shows("  peer")
      try await console.waitUntilReady()
      console.type("\r")
      try await console.waitFor("onefix> ")
    }

    private func shows(_ text: String) async throws { try await line.shows(text, rows: 50, columns: 132) }

    /// Adds everything that the owners have seen since the start.
    func add(to written: inout Written) async throws {
      // Regions are on a separate screen.
      line.type("g")
      try await shows("Press any key to continue.")
      written.add("regions on the screen of top", try await line.screen(50, 132))
      line.type(" q")
      #expect(try await top.finish().end == .exit(0))
      written.add("what top sent", line.bytes.value)
      written.add("the screen of top", try await line.screen(50, 132))
      for verb in ["status", "receiver", "apps", "regions", "place list", "prompts", "log"] {
        try await console.reply(to: verb)
      }
      written.add("the console", Array(console.shown.value.utf8))
      written.add("the page's feed", listener.output.value.lines)
    }
  }

  @Test(
    .needsNamespaces,
    .needs("apt-get install systemd", Journald.isPossible))
  func `no field of the journal contains a coordinate, and a planted coordinate is found`() async throws {
    let folder = try Folder()
    let log = try folder.write(Self.day.log, to: "day.nmea")
    let position = Self.day.positions[700]
    let planted = String(format: "%.5f", position.latitude)
    let journald = try await Journald(
      configuration: "regions = true\n[log]\nlevel = \"trace\"\n\(Daemon.configuration)",
      """
      journalctl --follow --lines all --output cat | grep --max-count 1 READY >&2
      ask() {
        "$onefix" request --socket /run/s "$@" >/run/fix 2>&1 & request=$!
        while kill -0 $request 2>/run/null; do "$onefix" press --socket /run/s >/run/null 2>&1 || true; done
        wait $request
      }
      ask
      "$onefix" accuracy other reduced --socket /run/s >/run/null
      ask --app other
      systemd-cat --identifier onefixd echo 'at \(planted)'
      """, ["--receiver", "replay:\(log)@450", "--allow-simulated-press"])
    let search = CoordinateSearch(Self.day.positions)
    let others = journald.entries.filter { $0["MESSAGE"] != "at \(planted)" }
    let marked = journald.entries.filter { $0["MESSAGE"] == "at \(planted)" }
    func findings(_ entries: [[String: String]]) async throws -> [String] {
      var written = Written()
      for (key, value) in entries.joined() where !key.hasPrefix("__") { written.add(key, Array("\(value)\n".utf8)) }
      return try await written.findings(search)
    }
    #expect(try await findings(others).isEmpty)
    #expect(others.contains { $0["MESSAGE"]?.hasPrefix("disclosed") == true })
    #expect(others.contains { $0["PRIORITY"] == "6" } && others.count > 10)
    #expect(try await findings(marked).contains { $0.hasPrefix("MESSAGE: ") })
  }

  @Test func `nothing that a day of use has written contains a coordinate`() async throws {
    let broker = try await Mosquitto()
    let subscriber = try await Subscriber(broker)
    let folder = try Folder()
    let manager = try NotifySocket(in: folder)
    let log = try folder.write(Self.day.log, to: "day.nmea")
    let metrics = folder.path("onefix.prom")
    let terminal = try ConsoleTerminal()
    let configuration = """
      regions = true
      \(broker.settings(app: "buoy"))
      \(Daemon.gpsd())
      \(Onlookers.configuration(terminal))
      [log]
      level = "trace"
      [metrics]
      file = "\(metrics)"
      interval_s = 1
      [[app]]
      id = "buoy"

      """
    let daemon = try await Daemon.start(
      in: folder, receiver: "replay:\(log)@300", configuration: configuration,
      environment: ["NOTIFY_SOCKET": manager.path])
    var given: [Fix] = []
    let onlookers = try await Onlookers(daemon, terminal)
    let owner = try await Peer.owner(daemon, "SUB # news")

    // A region, two places, updates, and one-time fixes with full and reduced accuracy.
    let region = Self.day.positions[0]
    let app = try await Peer.connected(daemon)
    #expect(try await owner.reply(to: "SET peer status always") == "+OK")
    _ = try await app.reply(to: "SUB # all")
    let centre = String(format: "%.5f %.5f", region.latitude, region.longitude)
    #expect(try await app.reply(to: "REGION ADD anchorage \(centre) 60000 enter,exit :Did it slip?") == "+OK")
    #expect(try await app.reply(to: "START updates interval=0").hasPrefix("+OK"))
    given.append(try await daemon.fix())
    #expect(try await owner.reply(to: "PLACE ADD mooring 60000 \(centre)") == "+OK")
    #expect(try await owner.reply(to: "PLACE ADD here 300") == "+OK")
    _ = try await owner.reply(to: "PLACE LIST")
    #expect(owner.received("MSG owner/places").count == 2)
    #expect(try await daemon.onefix("accuracy", "other", "reduced").end == .exit(0))
    given.append(try await daemon.fix("--app", "other"))
    #expect(given.last?.accuracy == "reduced")
    let named = try await Peer.connected(daemon, app: "named")
    for line in ["PLACE ALLOW named mooring", "SET named status always", "SET named accuracy place"] {
      #expect(try await owner.reply(to: line) == "+OK")
    }
    #expect(try await named.reply(to: "REQ once press=required").hasPrefix("+OK"))
    try await daemon.press(until: ["served", "granted"])
    #expect(try await named.next("MSG fix/once").contains(#""place":"mooring","accuracy":"place"}"#))

    // A broker with its retained messages, and a client of gpsd.
    try await broker.request(of: daemon, app: "buoy")
    try await daemon.press(until: ["served", "granted"])
    given.append(try Fix(try await subscriber.first("onefix/boat/buoy/fix").payload))
    let late = try await Subscriber(broker)
    let client = try await daemon.gpsdClient()
    client.write(#"?WATCH={"enable":true,"json":true}"#)
    try await client.wait(for: "WATCH")
    _ = try await eventually("a position for the client of gpsd") {
      if try client.positions().count > 0 { return true }
      try await daemon.press()
      return nil
    }
    let report = try #require(try client.positions().first)
    given.append(try Fix(report.line))
    // The gateway has determined on which side of the border it is, and has saved it.
    _ = try await eventually("the side of the region") {
      _ = try await owner.reply(to: "REGIONS")
      return owner.received("MSG owner/regions").last?.contains(#""state":"inside""#) == true ? true : nil
    }

    // The search covers all data that owners can see.
    var written = Written()
    try await onlookers.add(to: &written)
    for words in [
      ["status"], ["receiver"], ["apps"], ["regions"], ["place", "list"], ["log", "--json"], ["report"], ["metrics"],
      ["prompts"],
    ] {
      let received = try await daemon.begin(words).finish()
      #expect(received.end == .exit(0), "\(words) \(received.errors)")
      written.add("onefix \(words.joined(separator: " "))", received.output + received.errors)
    }
    // The replay shortens each gap to 5 s, so that the day lasts 24 s.
    _ = try await eventually("the end of the day, and many updates") {
      let updates = app.received("MSG fix/updates")
      return updates.count > 100 && updates.last?.contains(#""measured":"2026-11-21"#) == false ? true : nil
    }
    let numbers = try String(contentsOfFile: metrics, encoding: .utf8)
    #expect(numbers.contains(#"onefix_disclosures_total{app="buoy",accuracy="full"} 1"#))
    written.add("the metrics' file", [numbers])
    written.add("owners' news", owner.received)
    written.add("the app with names", named.received)
    // The search covers the time while the daemon runs, with its write-ahead log, and the time after its end.
    try written.add(folder: folder, but: ["day.nmea"])
    try await daemon.stopChecked()
    try written.add(folder: folder, but: ["day.nmea"])
    written.add("the log", daemon.process.errors.value.lines + daemon.process.output.value.lines)
    written.add("the service manager", manager.received.value.lines)
    let retained = late.messages.filter(\.isRetained)
    #expect(retained.count >= 4)
    written.add("retained topics", retained.map { "\($0.topic) \($0.payload)" })

    let updates = app.received("MSG fix/updates").compactMap { line in
      line.firstIndex(of: "{").flatMap { try? Fix(String(line[$0...])) }
    }
    #expect(updates.count > 100 && given.count == 4, "\(updates.count) updates, \(given.count) fixes")
    let positions = Self.day.positions + (updates + given).map { .init(latitude: $0.latitude, longitude: $0.longitude) }
    let search = CoordinateSearch(positions)
    #expect(try await written.findings(search).isEmpty)
    // The search would find a position in each of these texts.
    let planted = Array(String(format: " %.4f ", Self.day.positions[720].latitude).utf8)
    for source in written.sources {
      var marked = Written()
      marked.add(source.name, source.bytes.prefix(100_000) + planted)
      #expect(try await !marked.findings(search).isEmpty, "\(source.name)")
    }
    let logged = daemon.process.errors.value.lines
    #expect(logged.contains { $0.contains("info gateway: ") })
    #expect(written.sources.contains { $0.name == "state/onefix.sqlite-wal" })
    for name in ["the page's feed", "what top sent", "the console"] {
      let text = written.sources.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
      #expect(text.contains("buoy") && text.contains("precise"), "\(name)")
    }
    // An app has received the position, and the search finds it in that text.
    #expect(!search.findings(in: Array(given.map(\.text).joined().utf8)).isEmpty)
  }
}
