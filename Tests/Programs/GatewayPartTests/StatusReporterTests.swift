import Base
import Decoding
import Hardware
import StateStore
import Testing

@testable import Gateway

@Suite struct StatusReporterTests {
  private static let usual = line()

  private static func line(_ change: (inout StatusLine) -> Void = { _ in }) -> StatusLine {
    var line = StatusLine(
      receiver: .ready, mode: "3d", satellites: 11, apps: 0, isLocked: false, restriction: nil, isButtonFaulty: false,
      outputsAway: 0, isUnsaved: false, log: .good)
    change(&line)
    return line
  }

  static let texts: [(StatusLine, String)] = [
    (usual, "receiver 3d fix, 11 satellites; no apps"),
    (line { ($0.apps, $0.isLocked) = (3, true) }, "receiver 3d fix, 11 satellites; 3 apps; locked"),
    (line { ($0.receiver, $0.satellites) = (.acquiring, 1) }, "receiver without a fix, 1 satellite; no apps"),
    (line { ($0.receiver, $0.satellites) = (.acquiring, nil) }, "receiver without a fix; no apps"),
    (line { ($0.receiver, $0.apps) = (.absent, 1) }, "receiver absent; 1 app"),
    (line { $0.receiver = .off }, "receiver off; no apps"),
    (line { $0.receiver = .starting }, "receiver silent; no apps"),
    (
      line { ($0.restriction, $0.isButtonFaulty) = (.indicatorDark, true) },
      "receiver 3d fix, 11 satellites; no apps; the light cannot be seen (indicator-dark); a button cannot be used"
    ),
    (line { $0.outputsAway = 1 }, "receiver 3d fix, 11 satellites; no apps; 1 output is disconnected"),
    (line { $0.outputsAway = 2 }, "receiver 3d fix, 11 satellites; no apps; 2 outputs are disconnected"),
    (line { $0.listenersClosed = 1 }, "receiver 3d fix, 11 satellites; no apps; 1 listener is closed"),
    (
      line { ($0.listenersClosed, $0.appsOff) = (2, [a, b]) },
      "receiver 3d fix, 11 satellites; no apps; 2 listeners are closed; apps without their user: a, b"
    ),
    (line { $0.busyApps = [a, b] }, "receiver 3d fix, 11 satellites; no apps; log entries nearly used up: a, b"),
    (
      line { ($0.isUnsaved, $0.log, $0.configuration) = (true, .broken(.changed(3)), "note") },
      "receiver 3d fix, 11 satellites; no apps; the state cannot be written; the log was changed; note"
    ),
    (line { $0.clock = .unset }, "receiver 3d fix, 11 satellites; no apps; the clock is not set"),
    (line { $0.log = .unchecked }, "receiver 3d fix, 11 satellites; no apps"),
    (
      line { $0.log = .unreadable("the disk") }, "receiver 3d fix, 11 satellites; no apps; the log cannot be read"
    ),
    (
      line { $0.log = .unmaintained("the disk is full") },
      "receiver 3d fix, 11 satellites; no apps; the log cannot be written"
    ),
  ]

  @Test(arguments: texts)
  func `the line has all that is wrong, and nothing else`(line: StatusLine, text: String) {
    #expect(line.text == text)
  }

  @Test func `nothing is reported before the first report`() {
    var reporter = StatusReporter()
    reporter.update(Self.usual, at: at(.zero)) { _ in
      Issue.record("a report came")
      return true
    }
    #expect(reporter.nextDeadline == nil)
  }

  @Test func `a change that comes too soon is reported when the pause has passed, if it still is one`() {
    var reporter = StatusReporter()
    let locked = Self.line { $0.isLocked = true }
    var reports: [String] = []
    #expect(reporter.report(Self.usual, at: at(.zero)) == Self.usual.text)
    func update(_ line: StatusLine, _ time: Duration, isSent: Bool = true) {
      reporter.update(line, at: at(time)) { text in
        reports.append(text)
        return isSent
      }
    }
    update(locked, .seconds(1))
    #expect(reports == [] && reporter.nextDeadline == at(.seconds(3)))
    update(Self.usual, .seconds(2))
    #expect(reports == [] && reporter.nextDeadline == nil)
    update(locked, .seconds(3))
    #expect(reports == [locked.text] && reporter.nextDeadline == nil)
    update(locked, .seconds(10))
    #expect(reports == [locked.text])
    // A line that could not be sent is reported again.
    update(Self.usual, .seconds(10), isSent: false)
    #expect(reports.count == 2 && reporter.nextDeadline == at(.seconds(13)))
    update(Self.usual, .seconds(13))
    #expect(reports == [locked.text, Self.usual.text, Self.usual.text] && reporter.nextDeadline == nil)
  }
}
