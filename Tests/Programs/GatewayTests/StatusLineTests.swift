import Authorization
import Clocks
import GNSS
import Hardware
import ReceiverStream
import StateStore
import Synchronization
import RecordingClients
import Testing
@testable import Gateway

@Suite struct StatusLineTests {
  private static let usual = StatusLine(
    receiver: .ready, mode: "3d", satellites: 11, apps: 0, isLocked: false, restriction: nil,
    isButtonFaulty: false, brokersAway: 0, isUnsaved: false, log: .good, configuration: nil)

  private static func changed(_ change: (inout StatusLine) -> Void) -> StatusLine {
    var line = usual
    change(&line)
    return line
  }

  @Test(arguments: [
    (usual, "receiver 3d fix, 11 satellites; no apps"),
    (changed { ($0.apps, $0.isLocked) = (3, true) }, "receiver 3d fix, 11 satellites; 3 apps; locked"),
    (
      changed { ($0.receiver, $0.mode, $0.satellites) = (.acquiring, nil, 1) },
      "receiver without a fix, 1 satellite; no apps"
    ),
    (changed { ($0.receiver, $0.satellites) = (.acquiring, nil) }, "receiver without a fix; no apps"),
    (changed { ($0.receiver, $0.apps) = (.absent, 1) }, "receiver absent; 1 app"),
    (changed { $0.receiver = .off }, "receiver off; no apps"),
    (changed { $0.receiver = .starting }, "receiver silent; no apps"),
    (
      changed { ($0.restriction, $0.isButtonFaulty) = (.indicatorDark, true) },
      "receiver 3d fix, 11 satellites; no apps; the light cannot be seen (indicator-dark); a button cannot be used"
    ),
    (
      changed { $0.busyApps = [AppID("parks"), AppID("spot")].compactMap(\.self) },
      "receiver 3d fix, 11 satellites; no apps; log entries nearly used up: parks, spot"
    ),
    (changed { $0.brokersAway = 1 }, "receiver 3d fix, 11 satellites; no apps; 1 broker is disconnected"),
    (changed { $0.brokersAway = 2 }, "receiver 3d fix, 11 satellites; no apps; 2 brokers are disconnected"),
    (
      changed {
        ($0.isUnsaved, $0.log, $0.configuration) = (true, .broken(.changed(3)), "from the next start on: board")
      },
      "receiver 3d fix, 11 satellites; no apps; the state cannot be written; the log was changed; "
        + "from the next start on: board"
    ),
  ])
  func `the status line contains only the important states`(line: StatusLine, text: String) {
    #expect(line.text == text)
  }

  @Test(.timeLimit(.minutes(10)))
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
