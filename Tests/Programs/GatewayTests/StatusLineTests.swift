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

@Test(.patient)
func `a value that changes with every epoch is reported rarely, and its last report is current`() async throws {
  let told = Mutex<[(line: String, at: MonotonicInstant)]>([])
  let bench = try await Bench(tellStatus: { line, now in
    told.withLock { $0.append((line, now)) }
    return true
  })
  let began = bench.clock.now
  #expect(await bench.gateway.currentStatus() == "receiver silent; no apps")
  for second in 0..<40 { await bench.receiver.send(second: second, satellites: 10 + second % 2) }
  await bench.clock.pass(StatusReporter.pause)
  let lines = told.withLock(\.self)
  #expect(lines.count > 3 && lines.last?.line == "receiver 3d fix, 11 satellites; no apps")
  #expect(lines.allSatisfy { $0.at - began >= StatusReporter.pause })
  #expect(zip(lines, lines.dropFirst()).allSatisfy { $1.at - $0.at >= StatusReporter.pause && $0.line != $1.line })
  await bench.stop()
}
