import Foundation
import Glibc
import Requirements
import Testing

/// A day of use, and then everything that it wrote is looked through for the places where the device was.
@Suite(
  .needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isThere))
struct NoCoordinateTests {
  /// One epoch each minute of a day, on the move all the time.
  private static let day: (log: String, places: [CoordinateSearch.Place]) = {
    var places: [CoordinateSearch.Place] = []
    let log = (0..<1440).map { minute in
      let (north, west) = (12.61237 + Double(minute) * 0.0075, 6.01237 + Double(minute) * 0.03)
      let fields = (String(format: "61%08.5f", north), String(format: "149%08.5f", west))
      places.append(.init(latitude: 61 + north / 60, longitude: -(149 + west / 60)))
      let time = String(format: "%02d%02d00.00", minute / 60, minute % 60)
      return RecordedLog.sentence("GPRMC,\(time),A,\(fields.0),N,\(fields.1),W,0.6,298.0,211126,,,A")
        + RecordedLog.sentence("GPGGA,\(time),\(fields.0),N,\(fields.1),W,1,09,0.9,31.2,M,12.1,M,,")
        + RecordedLog.sentence("GPGST,\(time),,,,,2.1,2.3,4.0")
    }.joined()
    return (log, places)
  }()

  /// What somebody may read who is no app.
  private struct Written {
    var sources: [(name: String, bytes: [UInt8])] = []

    mutating func add(_ name: String, _ bytes: [UInt8]) { sources.append((name, bytes)) }

    mutating func add(_ name: String, _ lines: [String]) { add(name, Array(lines.joined(separator: "\n").utf8)) }

    /// Every file of a folder, and of those in it.
    mutating func add(folder: Folder, but left: Set<String>) throws {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !left.contains(name) {
        if let bytes = FileManager.default.contents(atPath: folder.path(name)) { add(name, Array(bytes)) }
      }
    }

    func findings(_ search: CoordinateSearch) -> [String] {
      sources.flatMap { source in search.findings(in: source.bytes).prefix(3).map { "\(source.name): \($0)" } }
    }
  }

  @Test func `the search finds a place in every form, and none where there is none`() {
    let search = CoordinateSearch(Self.day.places)
    let text = Array(
      "2026-11-21T07:31:34+0000 info receiver: hdop=0.912 rate=1149.123 161.2 61.2 149.12 \u{0}\u{1}".utf8)
    #expect(search.findings(in: text).isEmpty)
    for place in [Self.day.places[0], Self.day.places[777], Self.day.places[1439]] {
      for (name, bytes) in CoordinateSearch.forms(of: place) {
        #expect(!search.findings(in: text + bytes + text).isEmpty, "\(name)")
      }
    }
  }

  @Test func `nothing that a day of use wrote has a coordinate in it`() async throws {
    let broker = try await Mosquitto()
    let subscriber = try await Subscriber(broker)
    let folder = try Folder()
    let manager = try NotifySocket(in: folder)
    let log = try folder.write(Self.day.log, to: "day.nmea")
    let metrics = folder.path("onefix.prom")
    let configuration = """
      regions = true
      \(broker.settings(app: "buoy"))
      \(Daemon.gpsd())
      [log]
      level = "trace"
      [metrics]
      file = "\(metrics)"
      interval_s = 1
      [[app]]
      id = "buoy"

      """
    let daemon = try await Daemon.start(
      in: folder, receiver: "replay:\(log)@450", configuration: configuration,
      environment: ["NOTIFY_SOCKET": manager.path])
    var given: [Fix] = []
    let owner = try await Peer.owner(daemon)
    _ = try await owner.say("SUB # news")

    // A region, updates, and one-time fixes, in full and not.
    let region = Self.day.places[0]
    let app = try await Peer.greeted(daemon)
    #expect(try await owner.say("SET peer status always") == "+OK")
    _ = try await app.say("SUB # all")
    let border = String(format: "%.5f %.5f 60000", region.latitude, region.longitude)
    #expect(try await app.say("REGION ADD anchorage \(border) enter,exit :Did it slip?") == "+OK")
    #expect(try await app.say("START updates interval=0").hasPrefix("+OK"))
    given.append(try await daemon.fix())
    #expect(try await daemon.onefix("accuracy", "other", "reduced").end == .exit(0))
    given.append(try await daemon.fix("--app", "other"))
    #expect(given.last?.accuracy == "reduced")

    // A broker, with what it keeps for whoever comes, and a client of gpsd.
    try await broker.request(of: daemon, app: "buoy")
    try await daemon.press(until: ["prompt"])
    try await daemon.press(until: ["served", "granted"])
    given.append(try Fix(try await subscriber.first("onefix/boat/buoy/fix").payload))
    let late = try await Subscriber(broker)
    let client = try await daemon.gpsdClient()
    client.write(#"?WATCH={"enable":true,"json":true}"#)
    try await client.wait(for: "WATCH")
    _ = try await eventually("a place for gpsd's client") {
      if try client.places().count > 0 { return true }
      try await daemon.press()
      return nil
    }
    let place = try #require(try client.places().first)
    given.append(try Fix(place.line))
    // The gateway knows by now on which side of the region's border it is, and has that on the disk.
    _ = try await eventually("the side of the region") {
      _ = try await owner.say("REGIONS")
      return owner.said("MSG owner/regions").last?.contains(#""state":"inside""#) == true ? true : nil
    }

    // What owners are shown is to be shown to others, too.
    var written = Written()
    for words in [
      ["status"], ["receiver"], ["apps"], ["regions"], ["log", "--json"], ["report"], ["metrics"], ["prompts"],
    ] {
      let said = try await daemon.begin(words).finish()
      #expect(said.end == .exit(0), "\(words) \(said.errors)")
      written.add("onefix \(words.joined(separator: " "))", said.output + said.errors)
    }
    _ = try await eventually("the end of the day") {
      try await daemon.status()["receiver"] == "absent" ? true : nil
    }
    let numbers = try String(contentsOfFile: metrics, encoding: .utf8)
    #expect(numbers.contains(#"onefix_disclosures_total{app="buoy",accuracy="full"} 1"#))
    written.add("the metrics' file", [numbers])
    written.add("owners' news", owner.said)
    // While it runs, with what waits to be written back, and after its end.
    try written.add(folder: folder, but: ["day.nmea"])
    let end = try await daemon.stop()
    #expect(end.end == .exit(0), "\(end.errors)")
    try written.add(folder: folder, but: ["day.nmea"])
    written.add("the log", daemon.process.errors.value.lines + daemon.process.output.value.lines)
    written.add("the service manager", manager.said.value.lines)
    let retained = late.heard.filter(\.isRetained)
    #expect(retained.count >= 4)
    written.add("retained topics", retained.map { "\($0.topic) \($0.payload)" })

    let updates = app.said("MSG fix/updates").compactMap { line in
      line.firstIndex(of: "{").flatMap { try? Fix(String(line[$0...])) }
    }
    #expect(updates.count > 100 && given.count == 4)
    let places = Self.day.places + (updates + given).map { .init(latitude: $0.latitude, longitude: $0.longitude) }
    let search = CoordinateSearch(places)
    #expect(written.findings(search).isEmpty)
    let logged = daemon.process.errors.value.lines
    #expect(logged.contains { $0.contains("info gateway: ") })
    #expect(written.sources.contains { $0.name == "state/onefix.sqlite-wal" })
    // An app was told where it is: the search is not blind to what is said.
    #expect(!search.findings(in: Array(given.map(\.text).joined().utf8)).isEmpty)
  }
}
