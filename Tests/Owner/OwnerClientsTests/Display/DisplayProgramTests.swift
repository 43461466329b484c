import Base
import LineProtocol
import OneFixClient
import Requirements
import ScriptedGateways
import Synchronization
import TemporaryFiles
import Testing

@testable import OwnerClients

/// A clock that only the slow display and the waits of the program move.
private final class SlowClock: Sendable {
  private let instant = Mutex(MonotonicInstant(nanoseconds: 0))

  var now: MonotonicInstant { instant.withLock { $0 } }

  func advance(by time: Duration) { instant.withLock { $0 = $0 + time } }
}

/// A display on a bus that needs 900 ms for each picture.
private struct SlowOutput: DisplayOutput {
  struct Shown: Sendable {
    let picture: Picture?
    let begun: MonotonicInstant
    let acknowledged: MonotonicInstant
  }

  let clock: SlowClock
  let shown: Recorder<Shown>

  var isAcknowledged: Bool { true }

  func show(_ picture: Picture?) {
    let begun = clock.now
    clock.advance(by: .milliseconds(900))
    shown.record(Shown(picture: picture, begun: begun, acknowledged: clock.now))
  }
}

@Suite(.patient) struct DisplayProgramTests {
  @Test func `on a slow bus each line of a page is in view for 450 ms after the display has acknowledged the page`()
    async throws
  {
    let folder = try TemporaryDirectory()
    try folder.write("0041:0000000018242442427E424242420000\n", to: "font.hex")
    let (socket, clock) = (TemporarySocket(), SlowClock())
    let shown = Recorder<SlowOutput.Shown>()
    let gateway = try await ScriptedGateway(.unix(socket.path)) { connection, _ in
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        switch words[0] {
        case "DISPLAY":
          try await connection.send(
            "+OK \(tag) bus=/dev/i2c-1 address=0x3c controller=ssd1306 height=32 rotated=false language=en")
        // The display has the text "changes that are in force, but not saved: 2. A power cut undoes them."
        case "STATUS": try await connection.send("+OK \(tag) store-fault=unsaved:2")
        default: try await connection.send("+OK \(tag)")
        }
      }
    }
    let program = DisplayProgram(
      owners: socket.endpoint, font: try FontFile(path: folder.path("font.hex")),
      open: { _ in SlowOutput(clock: clock, shown: shown) }, report: { _ in }, now: { clock.now },
      sleep: {
        clock.advance(by: $0)
        await Task.yield()
        try Task.checkCancellation()
      })
    let task = Task { await program.run() }
    // The pages have two, two and one lines. Each of them is sent two times.
    let pictures = await shown.first(9).drop { $0.picture == nil }
    task.cancel()
    await task.value
    await gateway.stop()
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
}
