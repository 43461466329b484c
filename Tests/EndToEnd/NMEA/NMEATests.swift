import Foundation
import Glibc
import Requirements
import Testing

/// Programs that read NMEA sentences, at a socket and at an address.
@Suite struct NMEATests {
  @Test(arguments: NMEAEndpoint.allCases)
  func `a press gives the sentences of one epoch, and the program gets nothing else`(endpoint: NMEAEndpoint)
    async throws
  {
    try await Daemon.withNMEA { daemon in
      let client = try await daemon.reading(endpoint)
      try await client.noFix(more: 2)
      #expect(client.received.allSatisfy(NMEAClient.isVoid))
      #expect(try await daemon.status()["watchers"] == "nmea:1")
      #expect(try await daemon.onefix("status").output.contains { $0.hasSuffix(" 1 (nmea:1)") })
      #expect(try await daemon.onefix("metrics").output.contains(#"onefix_watching_sessions{transport="nmea"} 1"#))
      try await daemon.pressed(serving: "plotter")
      try await client.position()
      try await client.noFix(more: 2)
      try await daemon.press(until: ["nothing"])
      try await client.noFix()
      let sentences = client.received.filter { !NMEAClient.isVoid($0) }
      let types = sentences.map { String($0.prefix(6)) }
      #expect(types.filter { $0 != "$GNGSA" } == ["$GNRMC", "$GNGGA", "$GNGST"])
      #expect(sentences.contains { $0.hasPrefix("$GNGSA,A,3,") })
      #expect(Set(sentences.filter { !$0.hasPrefix("$GNGSA") }.map(Self.time)).count == 1, "one epoch")
      #expect(try await daemon.served("plotter") == 1)
      let log = try await daemon.log()
      #expect(log.contains { $0.contains(#""transport":"nmea""#) && $0.contains(#""app":"plotter""#) })
      #expect(log.contains { $0.contains(#""outcome":"sent""#) })
    }
  }

  /// The time of a sentence.
  private static func time(_ sentence: String) -> Substring { field(1, of: sentence) }

  /// A field of a sentence. Field 0 is its name.
  private static func field(_ number: Int, of sentence: String) -> Substring {
    sentence.split(separator: ",", omittingEmptySubsequences: false)[number]
  }

  @Test(arguments: NMEAEndpoint.allCases)
  func `at reduced accuracy the sentences contain a quarter hour, the node and its radius alone`(endpoint: NMEAEndpoint)
    async throws
  {
    try await Daemon.withNMEA(accuracy: "reduced") { daemon in
      let client = try await daemon.reading(endpoint)
      try await daemon.pressed(serving: "plotter")
      try await client.position()
      try await client.noFix()
      let sentences = client.received.filter { !NMEAClient.isVoid($0) }
      #expect(sentences.count == 4)
      let fields = sentences.map { $0.split(separator: "*")[0].split(separator: ",", omittingEmptySubsequences: false) }
      #expect(sentences[0].contains(/^\$GNRMC,\d\d(00|15|30|45)00\.000,A,[0-9.]+,N,[0-9.]+,E,,,\d{6},,,A\*/))
      #expect(sentences[1].contains(/^\$GNGGA,\d{6}\.000,[0-9.]+,N,[0-9.]+,E,1,,\d{3,}\.\d\d,,M,,M,,\*/))
      #expect(sentences[2].contains(/^\$GNGSA,A,2,,,,,,,,,,,,,,\d{3,}\.\d\d,\*/))
      #expect(sentences[3].contains(/^\$GNGST,\d{6}\.000,,,,,\d{3,}\.\d\d,\d{3,}\.\d\d,\*/))
      #expect(fields[2][16] == fields[1][8] && fields[3][6] == fields[3][7])
    }
  }

  @Test func `a program that waits or connects while the gateway is locked is served by a press after the unlock`()
    async throws
  {
    try await Daemon.withNMEA { daemon in
      let first = try await daemon.reading(.socket)
      let owner = try await Peer.owner(daemon)
      #expect(try await owner.reply(to: "LOCK") == "+OK locked=true")
      try await daemon.hold()
      try await daemon.armed("plotter", times: 2)
      try await daemon.pressed(serving: "plotter")
      try await first.position()
      #expect(try await owner.reply(to: "LOCK") == "+OK locked=true")
      let second = try daemon.nmeaClient(.address)
      try await second.noFix()
      try await daemon.hold()
      try await daemon.armed("plotter", times: 3)
      try await daemon.pressed(serving: "plotter", times: 2)
      try await second.position()
      // A change of the accuracy ends a request, too.
      let third = try daemon.nmeaClient(.socket)
      try await daemon.armed("plotter", times: 4)
      try await daemon.onefix("accuracy", "plotter", "reduced")
      try await daemon.armed("plotter", times: 5)
      try await daemon.pressed(serving: "plotter", times: 3)
      try await third.position()
      #expect(first.positions.count == 1 && second.positions.count == 1, "a fix ends the request")
    }
  }

  // MARK: Second opinions

  @Test(.needs("apt-get install gpsd-clients", Program.isInstalled("gpsdecode")))
  func `gpsdecode reads the fixes of the stream`() async throws {
    try await Daemon.withNMEA { daemon in
      try await daemon.onefix("allow", "plotter", "always")
      let client = try daemon.nmeaClient(.socket)
      // gpsd reports a position from the second epoch on, because it must learn which sentence is the last one.
      try await client.position(count: 4)
      let sentences = client.received.filter { !NMEAClient.isVoid($0) }
      let end = try #require(sentences.lastIndex { $0.hasPrefix("$GNGST") })
      let file = try daemon.folder.write(sentences[...end].map { $0 + "\r\n" }.joined(), to: "epochs.nmea")
      let decoded = try await Child("/bin/sh", ["-c", "gpsdecode < \(file)"]).finish()
      let reports = try decoded.output.map { try GPSDReport($0.filter { $0 != "\r" }) }
      let report = try #require(reports.last { $0.kind == "TPV" }, "\(decoded)")
      #expect(report.mode == 3)
      let gga = try #require(sentences[...end].last { $0.hasPrefix("$GNGGA") })
      let rmc = try #require(sentences[...end].last { $0.hasPrefix("$GNRMC") })
      let altitude = try #require(Double(Self.field(9, of: gga)))
      let knots = try #require(Double(Self.field(7, of: rmc)))
      #expect(abs(try #require(report.latitude) - Self.latitude(gga)) < 1e-6)
      #expect(abs(try #require(report.longitude) - Self.longitude(gga)) < 1e-6)
      #expect(abs(try #require(report.altitude) - altitude) < 0.01)
      #expect(abs(try #require(report.speed) - knots * 1852 / 3600) < 0.001)
    }
  }

  @Test(.needs("apt-get install python3-nmea2", Self.hasPynmea2))
  func `pynmea2 reads every sentence with its checksum, and the fix that the gateway encoded`() async throws {
    try await Daemon.withNMEA(more: #"sentences = ["RMC", "GGA", "GSA", "GST", "VTG", "ZDA"]"#) { daemon in
      let client = try await daemon.reading(.socket)
      try await daemon.pressed(serving: "plotter")
      try await client.position()
      try await client.noFix()
      let sentences = client.received.filter { !NMEAClient.isVoid($0) }
      let program = """
        import pynmea2, sys
        for line in sys.argv[1:]:
            said = pynmea2.parse(line, check=True)
            position = "%.7f %.7f" % (said.latitude, said.longitude) if hasattr(said, "latitude") else ""
            print(said.sentence_type, said.talker, position)
        """
      let read = try await Child("/usr/bin/python3", ["-c", program] + sentences + [NMEAClient.void]).finish()
      try #require(read.end == .exit(0), "\(read)")
      let names = read.output.map { String($0.prefix { $0 != " " }) }.filter { $0 != "GSA" }
      #expect(names == ["RMC", "GGA", "GST", "VTG", "ZDA", "RMC"])
      let gga = try #require(sentences.first { $0.hasPrefix("$GNGGA") })
      let words = try #require(read.output.first { $0.hasPrefix("GGA GN ") }?.split(separator: " "))
      #expect(abs(try #require(Double(words[2])) - Self.latitude(gga)) < 1e-6)
      #expect(abs(try #require(Double(words[3])) - Self.longitude(gga)) < 1e-6)
    }
  }

  static let hasPynmea2: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", "import pynmea2"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// The latitude of a GGA sentence in degrees, in the northern hemisphere.
  private static func latitude(_ gga: String) -> Double { degrees(field(2, of: gga), digits: 2) }

  /// The longitude of a GGA sentence in degrees, in the eastern hemisphere.
  private static func longitude(_ gga: String) -> Double { degrees(field(4, of: gga), digits: 3) }

  /// Returns the degrees of a field that has a number of digits for the degrees, and then minutes.
  private static func degrees(_ field: Substring, digits: Int) -> Double {
    (Double(field.prefix(digits)) ?? .nan) + (Double(field.dropFirst(digits)) ?? .nan) / 60
  }

  // MARK: Clients that do not behave

  @Test(arguments: ["GET / HTTP/1.1\r\n", "\u{16}\u{3}\u{1}"])
  func `a browser at the address is disconnected, and then a press serves no app for it`(bytes: String) async throws {
    try await Daemon.withNMEA { daemon in
      let client = try daemon.nmeaClient(.address)
      client.carrier.write(Array(bytes.utf8))
      _ = try await client.carrier.output.first("the end of the connection") { $0.isOver ? true : nil }
      try await daemon.status("watchers", is: nil)
      try await daemon.press(until: ["nothing"])
      #expect(try await daemon.served("plotter") == 0)
    }
  }

  @Test(.enabled(if: TCPConnection.canVanish, "only root may drop incoming packets on this machine"))
  func `a client that vanishes is disconnected within minutes, and then a press serves no app for it`() async throws {
    try await Daemon.withNMEA { daemon in
      let client = try TCPConnection("127.0.0.1", try daemon.nmeaPort())
      try await daemon.armed("plotter")
      try client.vanish()
      _ = try await eventually("the end of its connection", within: .seconds(180), each: .seconds(1)) {
        try await daemon.status()["armed"] == nil ? true : nil
      }
      #expect(try await daemon.status()["watchers"] == nil)
      try await daemon.press(until: ["nothing"])
      #expect(try await daemon.served("plotter") == 0)
      withExtendedLifetime(client) {}
    }
  }
}
