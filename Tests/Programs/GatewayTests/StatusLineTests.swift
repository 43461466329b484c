import Base
import ControlledBoard
import Decoding
import GNSS
import Hardware
import LineProtocol
import RecordingClients
import Requirements
import StateStore
import Synchronization
import Testing

@testable import Gateway

@Suite struct StatusLineTests {
  @Test(.patient)
  func `a value that changes with every epoch is reported rarely, and its last report is current`() async throws {
    let book = StatusBook()
    let bench = try await Bench(tellStatus: { line, now in book.note(line, at: now) })
    let began = bench.clock.now
    #expect(await bench.gateway.currentStatus() == "receiver silent; no apps")
    for second in 0..<40 { await bench.receiver.send(second: second, satellites: 10 + second % 2) }
    await bench.clock.pass(StatusReporter.pause)
    let lines = book.all
    #expect(lines.count > 3 && lines.last?.line == "receiver 3d fix, 11 satellites; no apps")
    #expect(lines.allSatisfy { $0.at - began >= StatusReporter.pause })
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $1.at - $0.at >= StatusReporter.pause && $0.line != $1.line })
    await bench.stop()
  }
}

/// The messages to a service manager, with their times.
private final class StatusBook: Sendable {
  private let lines = Mutex<[(line: String, at: MonotonicInstant)]>([])

  func note(_ line: String, at now: MonotonicInstant) -> Bool {
    lines.withLock { $0.append((line, now)) }
    return true
  }

  var all: [(line: String, at: MonotonicInstant)] { lines.withLock { $0 } }
}
