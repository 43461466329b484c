import Foundation
import SeededNumbers
import Testing

@Suite struct ReceiverTests {
  /// The recorded drives if they exist, and a log that the tests generate.
  static let logs = RecordedLog.paths + ["a walk that the tests write"]

  @Test(arguments: logs)
  func `a replayed log gives a position of the log`(path: String) async throws {
    let folder = try Folder()
    let log = path.hasPrefix("/") ? path : try folder.write(RecordedLog.walk(seconds: 120), to: "walk.nmea")
    let positions = RecordedLog.positions(in: try String(contentsOfFile: log, encoding: .utf8))
    try #require(positions.count > 100)
    try await Daemon.with(receiver: "replay:\(log)") { daemon in
      let fix = try await daemon.fixOfEpoch()
      #expect(positions.contains { $0.isSame(as: fix) }, "\(fix.text)")
    }
  }

  @Test func `a log that is replayed faster gives its positions too`() async throws {
    let folder = try Folder()
    let text = RecordedLog.walk(seconds: 3000)
    let log = try folder.write(text, to: "walk.nmea")
    try await Daemon.with(receiver: "replay:\(log)@20") { daemon in
      let fix = try await daemon.fixOfEpoch()
      #expect(RecordedLog.positions(in: text).contains { $0.isSame(as: fix) }, "\(fix.text)")
    }
  }

  @Test func `a log that ends within a sentence is used until its end, and the daemon keeps running`()
    async throws
  {
    let folder = try Folder()
    let whole = RecordedLog.walk(seconds: 600)
    let text = String(whole.dropLast(30))
    let log = try folder.write(text, to: "cut.nmea")
    try await Daemon.with(receiver: "replay:\(log)@20") { daemon in
      let fix = try await daemon.fixOfEpoch()
      #expect(RecordedLog.positions(in: text).contains { $0.isSame(as: fix) }, "\(fix.text)")
      _ = try await eventually("the end of the log") {
        try await daemon.status()["receiver"] == "absent" ? true : nil
      }
      #expect(try await daemon.press() == "nothing")
    }
  }

  @Test func `a serial port that another program writes to gives its positions`() async throws {
    let terminal = try Terminal()
    let text = RecordedLog.walk(seconds: 600)
    try await Daemon.with(receiver: "uart:\(terminal.path):115200") { daemon in
      let feed = Feed(text, into: terminal, every: 0.2)
      let fix = try await daemon.fixOfEpoch()
      #expect(RecordedLog.positions(in: text).contains { $0.isSame(as: fix) }, "\(fix.text)")
      #expect(try await daemon.log().contains { $0.contains(#""simulated":true"#) })
      feed.stop()
    }
  }

  @Test func `sentences without a checksum give positions if the owner allows it`() async throws {
    let terminal = try Terminal()
    let text = RecordedLog.walk(seconds: 600)
    let bare = text.replacing(/\*[0-9A-F]{2}/, with: "")
    let configuration = "[receiver]\nchecksum = false\n"
    try await Daemon.with(receiver: "uart:\(terminal.path)", configuration: configuration) { daemon in
      let feed = Feed(bare, into: terminal, every: 0.2)
      let fix = try await daemon.fixOfEpoch()
      #expect(RecordedLog.positions(in: text).contains { $0.isSame(as: fix) }, "\(fix.text)")
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
      let fix = try await daemon.fixOfEpoch()
      #expect(RecordedLog.positions(in: text).contains { $0.isSame(as: fix) }, "\(fix.text)")
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
      _ = try await eventually("a fix") { try await daemon.status()["receiver"] == "ready" ? true : nil }
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
}

extension Daemon {
  /// Requests a fix under a standing authorization. Without a press, the fix is that of an epoch.
  fileprivate func fixOfEpoch() async throws -> Fix {
    #expect(try await onefix("allow", "onefix", "always").end == .exit(0))
    let request = try await onefix("request")
    try #require(request.end == .exit(0) && request.output.count == 1, "\(request)")
    return try Fix(request.output[0])
  }
}
