import Base
import GNSS
import LineProtocol
import Ports
import PseudoTerminals
import Requirements
import Testing

@testable import Features

@Suite struct PortTargetTests {
  private func fix(_ report: FixReport) -> PublishedFix {
    PublishedFix(report, id: "a1", isByPress: true, disclosed: UTCTime(nanosecondsSince1970: 1_000_000_000))
  }

  private func position() throws -> PublishedFix {
    let coordinate = try #require(Coordinate(latitude: 47.376888, longitude: 8.541694))
    var report = FixReport(coordinate: coordinate, horizontalAccuracy: 12.5, accuracy: .full)
    report.time = UTCTime(iso8601: "2026-11-21T07:31:34.200Z")
    return fix(report)
  }

  @Test func `each format has its lines, and a line of text has the known time and the doubts about the position`()
    throws
  {
    var position = try position()
    func text() -> [String] { LineFormat.text.lines(position) }
    #expect(
      LineFormat.json.lines(position).first?.hasPrefix(#"{"id":"a1","time":"2026-11-21T07:31:34.200Z","lat""#) == true)
    #expect(LineFormat.nmea.lines(position).map { String($0.prefix(6)) } == ["$GNRMC", "$GNGGA", "$GNGSA", "$GNGST"])
    let place = fix(FixReport(place: "home", time: UTCTime(nanosecondsSince1970: 0)))
    #expect(LineFormat.text.lines(place) == ["home 1970-01-01T00:00:00.000Z"])
    #expect(text() == ["47.376888 8.541694 ±12.5 m 2026-11-21T07:31:34.200Z"])
    position.report.isCoasted = true
    #expect(text() == ["47.376888 8.541694 ±12.5 m 2026-11-21T07:31:34.200Z, coasted"])
    position.report.suspicion = .jamming
    position.report.time = nil
    #expect(text() == ["47.376888 8.541694 ±12.5 m 1970-01-01T00:00:01.000Z, coasted, suspect: jamming"])
    position.isClockSet = false
    #expect(text() == ["47.376888 8.541694 ±12.5 m, coasted, suspect: jamming"])
  }

  @Test(.patient) func `a fix is written to the port, and a port that is away is a fault until it is back`()
    async throws
  {
    let terminal = try PseudoTerminal()
    let target = PortTarget(path: terminal.path, speed: 115_200)
    try await target.test()
    let message = Publication.Message(topic: "", payload: Array("a fix\r\n".utf8))
    let fix = Publication(number: 1, messages: [message], life: .seconds(1))
    #expect(try await target.deliver(fix, while: { true }))
    #expect(String(decoding: terminal.receive(atLeast: 7), as: UTF8.self) == "a fix\r\n")
    terminal.hangUp()
    let replacement = try PseudoTerminal(at: terminal.path)
    // A fix whose indication ended is not written. The next fix is the first that the port gets.
    #expect(try await !target.deliver(fix, while: { false }))
    #expect(try await target.deliver(fix, while: { true }))
    #expect(String(decoding: replacement.receive(atLeast: 7), as: UTF8.self) == "a fix\r\n")
    let cancelled = Task {
      // The cancellation ends this wait.
      await OneTimeEvent().wait()
      return try await target.deliver(fix, while: { true })
    }
    cancelled.cancel()
    await #expect(throws: OutputError.self) { try await cancelled.value }
    let absent = PortTarget(path: "/dev/onefix-nowhere", speed: 9600)
    do {
      try await absent.test()
      Issue.record("a port that does not exist can be used")
    } catch {
      #expect(error.fault == .port && error.description.contains("/dev/onefix-nowhere"))
    }
  }
}
