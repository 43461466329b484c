import Base
import LineProtocol
import OneFixClient
import Requirements
import ScriptedGateways
import Synchronization
import TemporaryFiles
import Testing

@testable import Display

/// A clock that only the slow display and the waits of the program move.
private final class SlowClock: Sendable {
  private let instant = Mutex(MonotonicInstant(nanoseconds: 0))

  var now: MonotonicInstant { instant.withLock { $0 } }

  func advance(by time: Duration) { instant.withLock { $0 = $0 + time } }
}

/// A display on a bus that needs a time for each picture.
private struct SlowOutput: DisplayOutput {
  struct Shown: Sendable {
    let picture: Picture?
    let begun: MonotonicInstant
    let acknowledged: MonotonicInstant
  }

  let clock: SlowClock
  let shown: Recorder<Shown>
  let time: Duration

  var isAcknowledged: Bool { true }

  func show(_ picture: Picture?) {
    let begun = clock.now
    clock.advance(by: time)
    shown.record(Shown(picture: picture, begun: begun, acknowledged: clock.now))
  }
}

@Suite(.patient) struct DisplayProgramTests {
  @Test func `on a slow bus each line of a page is in view for 450 ms after the display has acknowledged the page`()
    async throws
  {
    let (clock, shown) = (SlowClock(), Recorder<SlowOutput.Shown>())
    var pictures: [SlowOutput.Shown] = []
    try await run(.milliseconds(900), clock, shown) { connection, tag, _ in
      // The display has the text "changes that are in force, but not saved: 2. A power cut undoes them."
      try await connection.send("+OK \(tag) store-fault=unsaved:2")
    } until: {
      // The pages have two, two and one lines. Each of them is sent two times.
      pictures = Array(await shown.first(9).drop { $0.picture == nil })
    }
    var times: [Duration] = []
    var first = try #require(pictures.first)
    for next in pictures where next.picture != first.picture {
      let time: Duration = next.begun - first.acknowledged
      times.append(time)
      first = next
    }
    try #require(times.count >= 3)
    #expect(zip(times, [900, 900, 450]).allSatisfy { $0 >= .milliseconds($1) }, "\(times)")
  }

  /// Runs a program whose display needs `time` for a picture, at a gateway that answers `STATUS` with a closure.
  private func run(
    _ time: Duration, _ clock: SlowClock, _ shown: Recorder<SlowOutput.Shown>,
    _ reports: Recorder<DisplayProgram.Report> = Recorder(),
    sleepForAnswer: @escaping @Sendable (Duration) async throws -> Void = { _ in
      try await waitForCancellation()
    },
    status: @escaping @Sendable (inout GatewayConnection, _ tag: String, _ sid: String) async throws -> Void,
    until isOver: () async -> Void
  ) async throws {
    let folder = try TemporaryDirectory()
    try folder.write("0041:0000000018242442427E424242420000\n", to: "font.hex")
    let socket = TemporarySocket()
    let gateway = try await ScriptedGateway(socket.path) { connection, _ in
      try await connection.send("INFO proto=1 id=x")
      var sid = "-"
      while true {
        let (words, tag, _) = try await connection.command()
        switch words[0] {
        case "DISPLAY":
          try await connection.send(
            "+OK \(tag) bus=/dev/i2c-1 address=0x3c controller=ssd1306 height=32 rotated=false language=en")
        case "STATUS": try await status(&connection, tag, sid)
        case "SUB":
          sid = words[2]
          try await connection.send("+OK \(tag)")
        default: try await connection.send("+OK \(tag)")
        }
      }
    }
    let program = DisplayProgram(
      owners: socket.endpoint, font: try FontFile(path: folder.path("font.hex")),
      open: { _ in SlowOutput(clock: clock, shown: shown, time: time) }, report: { reports.record($0) },
      now: { clock.now },
      sleep: {
        clock.advance(by: $0)
        await Task.yield()
        try Task.checkCancellation()
      }, sleepForAnswer: sleepForAnswer)
    let task = Task { await program.run() }
    await isOver()
    task.cancel()
    await gateway.stop()
    await task.value
  }

  @Test func `if the gateway does not answer, the display is switched off`() async throws {
    let (shown, reports, reads) = (Recorder<SlowOutput.Shown>(), Recorder<DisplayProgram.Report>(), Recorder<Int>())
    try await run(
      .milliseconds(900), SlowClock(), shown, reports,
      sleepForAnswer: { _ in
        _ = await reads.first(3)
        try Task.checkCancellation()
      }
    ) { connection, tag, _ in
      if reads.values.count < 2 { try await connection.send("+OK \(tag) store-fault=unsaved:2") }
      reads.record(0)
    } until: {
      #expect(await reports.first(2).last == .failed("the gateway did not answer for 5.0 seconds"))
      #expect(shown.values.contains { $0.picture != nil } && shown.values.last?.picture == nil)
    }
  }

  @Test func `changes without an end make the program read the state at most five times a second`() async throws {
    let (clock, reads) = (SlowClock(), Recorder<MonotonicInstant>())
    try await run(.zero, clock, Recorder()) { connection, tag, sid in
      reads.record(clock.now)
      try await connection.send("+OK \(tag) store-fault=unsaved:2")
      try await connection.send("MSG owner/apps \(sid) {}")
    } until: {
      let instants = await reads.first(6)
      #expect(zip(instants, instants.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(200) }, "\(instants)")
    }
  }
}
