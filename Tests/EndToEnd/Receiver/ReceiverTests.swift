import Foundation
import Repository
import SeededNumbers
import Testing

@Suite struct ReceiverTests {
  /// The recorded drives if they exist, and a log that the tests generate.
  static let logs = Repository.recordedLogs + ["a walk that the tests write"]

  @Test(arguments: logs)
  func `a replayed log gives a position of the log`(path: String) async throws {
    let folder = try Folder()
    let log = path.hasPrefix("/") ? path : try folder.write(RecordedLog.walk(seconds: 120), to: "walk.nmea")
    let text = try String(contentsOfFile: log, encoding: .utf8)
    try await Daemon.with(receiver: "replay:\(log)") { try await $0.expectFix(of: text) }
  }

  @Test(arguments: [(":115200", true, ""), ("", false, "[receiver]\nchecksum = false\n")])
  func `a serial port gives positions, also without checksums if the owner allows it`(
    speed: String, hasChecksums: Bool, configuration: String
  ) async throws {
    let terminal = try Terminal()
    let text = RecordedLog.walk(seconds: 600)
    try await Daemon.with(receiver: "uart:\(terminal.path)\(speed)", configuration: configuration) { daemon in
      let sent = hasChecksums ? text : text.replacing(/\*[0-9A-F]{2}/, with: "")
      let feed = Feed(sent, into: terminal, every: 0.2)
      try await daemon.expectFix(of: text)
      #expect(try await daemon.log().contains { $0.contains(#""simulated":true"#) })
      feed.stop()
    }
  }

  @Test func `garbage on the line is skipped, and later valid sentences give a fix`() async throws {
    let terminal = try Terminal()
    var random = SplitMix64(seed: 7)
    try await Daemon.with(receiver: "uart:\(terminal.path)") { daemon in
      for _ in 0..<40 { terminal.send((0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }) }
      terminal.send(Array("$GPGGA,070000.00,9999.9,N,99999.9,E,1,99,0.0,1e999,M,,M,,*00\r\n$GP".utf8))
      let text = RecordedLog.walk(seconds: 600)
      let feed = Feed(text, into: terminal, every: 0.2)
      try await daemon.expectFix(of: text)
      feed.stop()
    }
  }

  @Test func `a receiver that is unplugged is absent, and present again after it is plugged in`() async throws {
    let first = try Terminal()
    try await Daemon.with(receiver: "uart:\(first.path)") { daemon in
      let peer = try await Peer.connected(daemon)
      _ = try await peer.reply(to: "SUB receiver r")
      _ = try await peer.next(#"MSG receiver r ret=1 {"state":"present"}"#)
      let feed = Feed(RecordedLog.walk(seconds: 600), into: first, every: 0.2)
      try await daemon.status("receiver", is: "ready")
      feed.stop()
      first.hangUp()
      _ = try await peer.next(#"MSG receiver r {"state":"absent"}"#)
      #expect(try await daemon.status()["receiver"] == "absent")

      let second = try Terminal(at: first.path)
      _ = try await peer.next(#"MSG receiver r {"state":"present"}"#)
      let again = Feed(RecordedLog.walk(seconds: 600), into: second, every: 0.2)
      _ = try await daemon.fix()
      again.stop()
    }
  }

  @Test func `a log that ends within a sentence is used until its end, and the daemon keeps running`()
    async throws
  {
    let folder = try Folder()
    let text = String(RecordedLog.walk(seconds: 300).dropLast(30))
    let log = try folder.write(text, to: "cut.nmea")
    try await Daemon.with(receiver: "replay:\(log)@20") { daemon in
      try await daemon.expectFix(of: text)
      try await daemon.status("receiver", is: "absent")
      #expect(try await daemon.press() == "nothing")
    }
  }
}

extension Daemon {
  /// Expects a fix with a position of a log. Under a standing authorization the fix is that of an epoch.
  fileprivate func expectFix(of log: String) async throws {
    let positions = RecordedLog.positions(in: log)
    try #require(positions.count > 100)
    #expect(try await onefix("allow", "onefix", "always").end == .exit(0))
    let request = try await onefix("request")
    try #require(request.end == .exit(0) && request.output.count == 1, "\(request)")
    let fix = try Fix(request.output[0])
    #expect(positions.contains { $0.isSame(as: fix) }, "\(fix.text)")
  }
}
