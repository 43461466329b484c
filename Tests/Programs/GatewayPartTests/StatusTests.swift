import Hardware
import LineProtocol
import OperatingSystem
import Ports
import RecordingClients
import StateStore
import Testing

@testable import Gateway

@Suite struct ListenersTests {
  private let taken = ListenError(
    address: "127.0.0.1:2947", .taken, cause: "address already in use", remedy: "stop the other program")
  private let denied = ListenError(address: "127.0.0.1:2947", .denied, cause: "permission denied", remedy: "none")

  private func fields(_ listeners: Listeners, isClockRight: Bool = true) -> [String: String] {
    var fields: ServerLine.Fields = [:]
    listeners.addStatus(to: &fields) { isClockRight ? clock($0 - at(.zero)).utc : nil }
    return Dictionary(uniqueKeysWithValues: fields.pairs.map { ($0.key, $0.value) })
  }

  @Test func `the log has a message for each change, and not for each attempt`() {
    var listeners = Listeners()
    let closed = ["log warning: a listener is closed; the gateway tries to open it again"]
    let open = ["log info: a listener is open"]
    let attempts: [(ListenError?, [String])] = [
      (taken, closed), (taken, []), (denied, closed), (nil, open), (nil, []), (taken, closed),
    ]
    for (fault, told) in attempts {
      #expect(lines { listeners.note("gpsd:localhost:2947", fault, at: at(.zero), &$0) } == told)
    }
  }

  @Test func `the status has the closed listeners only, with the cause and the time of the change`() {
    var listeners = Listeners()
    _ = lines { listeners.note("tcp:127.0.0.1:7447", nil, at: at(.zero), &$0) }
    _ = lines { listeners.note("page:localhost:8021", taken, at: at(.seconds(1)), &$0) }
    _ = lines { listeners.note("gpsd:localhost:2947", taken, at: at(.seconds(1)), &$0) }
    // A second cause is no new change.
    _ = lines { listeners.note("gpsd:localhost:2947", denied, at: at(.seconds(9)), &$0) }
    let since = clock(.seconds(1)).utc.iso8601
    #expect(
      fields(listeners) == [
        "listener-1": "gpsd:localhost:2947", "listener-1-fault": "denied", "listener-1-since": since,
        "listener-2": "page:localhost:8021", "listener-2-fault": "taken", "listener-2-since": since,
      ])
    #expect(fields(listeners, isClockRight: false).keys.allSatisfy { !$0.hasSuffix("-since") })
    #expect(listeners.closedCount == 2)
    #expect(
      Exposition(listeners.families).lines.filter { !$0.hasPrefix("#") } == [
        #"onefix_listener_up{listener="gpsd:localhost:2947"} 0"#,
        #"onefix_listener_up{listener="page:localhost:8021"} 0"#,
        #"onefix_listener_up{listener="tcp:127.0.0.1:7447"} 1"#,
      ])
    #expect(listeners.fault(of: "page") == taken && listeners.fault(of: "tcp") == nil)
  }
}

@Suite struct MetricsTests {
  private func text(_ events: (Metrics.Event, Duration)...) -> [String] {
    var metrics = Metrics(labelledApps: [a])
    for (event, time) in events { metrics.note(event, at: at(time)) }
    return Exposition(metrics.families).lines
  }

  @Test(arguments: [
    (Metrics.Event.count(.presses, nil, "served"), #"onefix_presses_total{outcome="served"} 1"#),
    (.count(.holds, nil, nil), "onefix_holds_total 1"),
    (.count(.refusals, a, "denied"), #"onefix_refusals_total{app="a",reason="denied"} 1"#),
    (.count(.disclosures, a, "reduced"), #"onefix_disclosures_total{app="a",accuracy="reduced"} 1"#),
    (.count(.expiredPublications, a, nil), #"onefix_broker_expired_fixes_total{app="a"} 1"#),
    (.pressToFix(.seconds(3)), #"onefix_press_to_fix_seconds_bucket{le="5.0"} 1"#),
    (.count(.refusals, b, "denied"), #"onefix_refusals_total{app="(other)",reason="denied"} 1"#),
    (.count(.disclosures, b, "full"), #"onefix_disclosures_total{app="(other)",accuracy="full"} 1"#),
  ])
  func `each event has its counter, and apps that are not configured share one label`(
    event: Metrics.Event, line: String
  ) {
    #expect(!text().contains(line))
    let lines = text((event, .zero))
    #expect(lines.contains(line), "\(lines.filter { !$0.hasPrefix("#") })")
  }

  @Test func `every outcome of a press has a counter from the beginning`() {
    let lines = text()
    for outcome in PressOutcome.allCases {
      #expect(lines.contains(#"onefix_presses_total{outcome="\#(outcome.rawValue)"} 0"#))
    }
  }

  @Test func `the time to the first fix counts once after each opening of the port`() {
    let count = "onefix_receiver_time_to_first_fix_seconds_count 1"
    #expect(!text((.firstFix, .zero)).contains(count))
    #expect(
      text((.receiverOpened, .zero), (.firstFix, .seconds(8)), (.firstFix, .seconds(9))).contains(count))
    #expect(
      text((.receiverOpened, .zero), (.firstFix, .seconds(8))).contains(
        #"onefix_receiver_time_to_first_fix_seconds_bucket{le="10.0"} 1"#))
    #expect(!text((.receiverOpened, .zero), (.receiverLost, .seconds(1)), (.firstFix, .seconds(8))).contains(count))
  }
}

@Suite struct StatusReporterTests {
  private static func line(_ change: (inout StatusLine) -> Void) -> StatusLine {
    var line = StatusLine()
    change(&line)
    return line
  }

  static let texts: [(StatusLine, String)] = [
    (StatusLine(), "running"),
    (line { $0.isLocked = true }, "running; locked"),
    (line { ($0.isReceiverAbsent, $0.isLocked) = (true, true) }, "running; receiver absent; locked"),
    (
      line { ($0.restriction, $0.isButtonAbsent) = (.indicatorDark, true) },
      "running; the light cannot be seen (indicator-dark); a button cannot be used"
    ),
    (line { $0.listenersClosed = 1 }, "running; 1 listener is closed"),
    (line { $0.listenersClosed = 2 }, "running; 2 listeners are closed"),
    (
      line { ($0.isUnsaved, $0.log, $0.configuration) = (true, .broken(.changed(3)), "note") },
      "running; the state cannot be written; the log was changed; note"
    ),
    (line { $0.isClockUnset = true }, "running; the clock is not set"),
    (line { $0.log = .good }, "running"),
    (line { $0.log = .unreadable("the disk") }, "running; the log cannot be read"),
    (line { $0.log = .unmaintained("the disk is full") }, "running; the log cannot be written"),
  ]

  @Test(arguments: texts)
  func `the line has all that is wrong, and nothing else`(line: StatusLine, text: String) {
    #expect(line.text == text)
  }

  @Test func `a change after the first report is reported when the pause has passed, if it still is one`() {
    var reporter = StatusReporter()
    let (usual, locked) = (StatusLine(), Self.line { $0.isLocked = true })
    var reports: [String] = []
    /// Updates the line, and compares all reports so far and the time of the next report.
    func expect(_ lines: [StatusLine], _ next: Duration?, _ line: StatusLine, at time: Duration, isSent: Bool = true) {
      reporter.update(line, at: at(time)) { text in
        reports.append(text)
        return isSent
      }
      #expect(reports == lines.map(\.text) && reporter.nextDeadline == next.map { at($0) }, "\(time)")
    }
    expect([], nil, locked, at: .zero)
    #expect(reporter.report(usual, at: at(.zero)) == usual.text)
    expect([], .seconds(3), locked, at: .seconds(1))
    expect([], nil, usual, at: .seconds(2))
    expect([], .seconds(3), locked, at: .seconds(3) - .nanoseconds(1))
    expect([locked], nil, locked, at: .seconds(3))
    expect([locked], nil, locked, at: .seconds(10))
    // A line that could not be sent is reported again.
    expect([locked, usual], .seconds(13), usual, at: .seconds(10), isSent: false)
    expect([locked, usual], .seconds(13), usual, at: .seconds(13) - .nanoseconds(1))
    expect([locked, usual, usual], nil, usual, at: .seconds(13))
  }
}

@Suite struct CurrentConfigurationTests {
  private func reconfiguration(_ policy: Policy = Policy(), waiting: [String] = [], admits: Set<AppID> = [])
    -> Reconfiguration
  {
    Reconfiguration(
      policy: policy, waiting: waiting, admits: { identity, _, _ in admits.contains(identity.app) }, putInForce: {})
  }

  @Test func `a configuration that was read again is in force, and a faulty one changes only the note`() {
    var configuration = CurrentConfiguration(Policy { $0.language = .english })
    #expect(configuration.policy.language == .english && configuration.note == nil)
    _ = configuration.apply(reconfiguration(Policy { $0.language = .german }, waiting: ["board", "state"]))
    #expect(configuration.policy.language == .german)
    #expect(configuration.note == "from the next start on: board, state")
    configuration.reject()
    #expect(configuration.policy.language == .german)
    #expect(configuration.note == "the configuration on the disk has an error: the former configuration stays in force")
    _ = configuration.apply(reconfiguration())
    #expect(configuration.note == nil)
  }

  @Test func `a client may be its app while its key is valid and the configuration admits it`() {
    var configuration = CurrentConfiguration(Policy())
    let (keyring, connection) = (Keyring(), RecordingConnection())
    let (mine, others) = (Identity(a, by: .transport), Identity(b, by: .transport))
    #expect(configuration.refusal(of: mine, connection, keyring) == nil)
    #expect(configuration.refusal(of: Identity(a, by: .key(9)), connection, keyring) == CurrentConfiguration.revoked)
    _ = configuration.apply(reconfiguration(admits: [a]))
    #expect(configuration.refusal(of: mine, connection, keyring) == nil)
    #expect(configuration.refusal(of: others, connection, keyring) == CurrentConfiguration.disowned)
  }
}
