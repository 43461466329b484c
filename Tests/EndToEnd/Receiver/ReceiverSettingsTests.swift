import Decoding
import Foundation
import Sentences
import SimulatedUBlox
import Testing

/// A receiver behind a real port, configured by the real daemon.
@Suite struct ReceiverSettingsTests {
  static let configuration = """

    [receiver]
    rate = 5
    messages = "nmea"
    constellations = ["gps", "galileo"]
    dynamic_model = "sea"
    """

  /// The keys of an M10 with UART1 that `configuration` needs.
  static let keys: Set<UInt32> = [
    0x1074_0001, 0x1074_0002, 0x2091_0007, 0x2091_0039, 0x2091_0016, 0x2091_001B, 0x2091_0160, 0x2091_00AC, 0x2091_00B1,
    0x2091_00BB, 0x2091_00C0, 0x2091_00C5, 0x2091_00CA, 0x2091_00D4, 0x2091_00D9, 0x3021_0001, 0x3021_0002, 0x2011_0021,
    0x1031_001F, 0x1031_0020, 0x1031_0021, 0x1031_0022, 0x1031_0024, 0x1031_0025,
  ]

  /// Epochs for several minutes.
  static let epochs = RecordedLog.walk(seconds: 2000).split(separator: "$GPRMC").map { Array("$GPRMC\($0)".utf8) }

  @Test func `a newer receiver is configured at the detected speed, again after its restart, with a log message`()
    async throws
  {
    let receiver = try UBloxOnTerminal(.m10(keys: Self.keys))
    receiver.speak(Self.epochs, every: 0.2)
    try await Daemon.with(receiver: "uart:\(receiver.path)", configuration: Self.configuration) { daemon in
      let line = try await daemon.process.reported("notice", "the receiver is configured", "receiver=MAX-M10S")
      #expect(line.contains("applied=protocols,") && line.contains("gst") && line.contains("gll-off"))
      #expect(line.contains("rate") && line.contains("dynamic-model") && line.contains("constellations"))
      #expect(!line.contains("refused") && !line.contains("unanswered"))
      let values = receiver.receiver.values
      #expect(values[0x3021_0001] == 200 && values[0x2011_0021] == 5)
      #expect(values[0x2091_00D4] == 1 && values[0x2091_00CA] == 0 && values[0x2091_0007] == 0)
      #expect(values[0x1031_0021] == 1 && values[0x1031_0025] == 0)
      let status = try await daemon.status()
      #expect(status["settings"] == "applied" && status["model"] == "MAX-M10S")
      _ = try await daemon.fix()

      receiver.restart()
      _ = try await eventually("the settings again") { receiver.receiver.values == values ? true : nil }
      // Applying the same settings again is not logged.
      #expect(daemon.process.errors.value.lines.count { $0.contains("the receiver is configured") } == 1)
    }
  }

  @Test func `a module that stays silent gets the wake-up sentences, and none if it must not be configured`()
    async throws
  {
    let (silent, untouched) = (try Terminal(), try Terminal())
    let (received, none) = (Observed(TextOutput()), Observed(TextOutput()))
    silent.end.read { bytes in received.change { $0.append(bytes) } }
    untouched.end.read { bytes in none.change { $0.append(bytes) } }
    let configuration = "\n[receiver]\nconfigure = false\nrate = 5\n"
    try await Daemon.with(receiver: "uart:\(untouched.path)", configuration: configuration) { first in
      try await Daemon.with(receiver: "uart:\(silent.path)") { second in
        _ = try await eventually("the wake-ups") { try await second.status()["wake-ups"] }
        _ = try await received.first("the sentences") { text in
          let words = ["$PAIR382,1*", "$PCAS06,0*"]
          return words.allSatisfy { word in text.lines.contains { $0.hasPrefix(word) } } ? true : nil
        }
      }
      // The first daemon has waited for longer than the second one.
      #expect(try await first.status()["wake-ups"] == nil)
    }
    #expect(none.value.lines == [] && none.value.rest == [])
  }

  @Test func `a receiver without configured settings receives no bytes`() async throws {
    let receiver = try UBloxOnTerminal(.m10(keys: Self.keys))
    receiver.speak(Self.epochs, every: 0.2)
    try await Daemon.with(receiver: "uart:\(receiver.path)") { daemon in
      _ = try await daemon.fix()
      #expect(try await daemon.status()["settings"] == nil)
      #expect(receiver.receiver.received.isEmpty)
    }
  }

  @Test func `a receiver that cannot be configured is reported at the start, and its fixes are used`() async throws {
    try await Daemon.with(receiver: "simulated", configuration: Self.configuration) { daemon in
      let line = try await daemon.process.reported("notice", "the receiver is not configured")
      #expect(line.contains("accepts no settings") && line.contains("remedy="))
      #expect(try await daemon.status()["settings"] == nil)
      _ = try await daemon.fix()
    }
  }

  @Test func `a GPS week rollover is reported, and owners see it`() async throws {
    // 1024 weeks before 2026-11-21.
    let receiver = try UBloxOnTerminal(.m8)
    receiver.speak(
      (0..<600).map { second in
        let time = String(format: "%02d%02d%02d.00", 7, second / 60, second % 60)
        return Array(
          nmeaSentence("GPRMC,\(time),A,4722.6,N,00832.5,E,2.6,45.0,070407,,,A").utf8)
          + Array(nmeaSentence("GPGGA,\(time),4722.6,N,00832.5,E,1,09,0.9,408.2,M,47.3,M,,").utf8)
      }, every: 0.2)
    try await Daemon.with(receiver: "uart:\(receiver.path):9600") { daemon in
      let line = try await daemon.process.reported("warning", "the receiver's date")
      #expect(line.contains("remedy="))
      let clock = try #require(line.split(separator: "T").first)
      // The date is corrected only if the clock of this machine is after the rollover. Otherwise the log is treated as
      // one of that year.
      let isMoved = clock >= "2026-11-20" || clock < "2026-01-01"
      #expect(line.contains(isMoved ? "corrected=2026-11-21" : "received=2007-04-07"))
      _ = try await eventually("the flag") {
        try await daemon.status()["date"] == (isMoved ? "corrected" : nil) ? true : nil
      }
      let fix = try await daemon.fix()
      #expect(fix.text.contains(isMoved ? "2026-11-21T" : "2007-04-07T"))
      #expect(daemon.process.errors.value.lines.count { $0.contains("the receiver's date") } == 1)
    }
  }
}
