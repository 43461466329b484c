import Base
import LineProtocol
import Testing

@testable import OwnerScreens

/// The overview of a changed gateway.
private func overview(_ change: (inout SimulatedGateway.State) -> Void = { _ in }) async throws -> Overview {
  var state = SimulatedGateway.State.busy
  change(&state)
  var reader = OverviewReader(language: .english)
  return try await reader.read(from: SimulatedGateway(state))
}

@Test func `an overview contains the gateway, satellites, apps, sessions, question and log as text`() async throws {
  let overview = try await overview()
  #expect(
    [overview.gateway, overview.board, overview.indicator, overview.receiver, overview.waiting]
      == ["boat-7", "raspberry-pi-4", "location in use", "ready, 3D", "ferry, logbook"])
  #expect(overview.isLit && !overview.isLocked && overview.satellitesUsed == 11)
  #expect(overview.faults == ["button: main:stuck", "the line is full", "receiver-shared"])
  #expect(
    overview.satellites == [
      .init(system: "G", number: 5, elevation: 41, azimuth: 301, strength: 44, isUsed: true),
      .init(system: "S", number: 123, isUsed: false),
      .init(system: "X", number: 70, elevation: 3, azimuth: 12, strength: 20, isUsed: false),
    ])
  #expect(overview.apps.map(\.status) == ["When I share", "While using", "Never"])
  #expect(overview.apps.map(\.presentAccuracy) == [.full, .reduced, .full])
  #expect(
    overview.sessions.map { "\($0.number) \($0.peer) \($0.since) \($0.now)" } == [
      "4 uid 1000 2026-11-21 07:30:00 waits for a press",
      "9 192.0.2.7 2026-11-21 07:31:00 away, in use, gets fixes in the background",
    ])
  #expect(overview.question?.prompt == 3 && overview.entries.map(\.entry) == ["#4", "#3", "#2", "#1"])
}

@Test(arguments: [("100", 6), ("101", 2)])
func `only new log entries are requested, and more than a hundred sessions only every fifth time`(
  sessions: String, requests: Int
) async throws {
  var state = SimulatedGateway.State.busy
  state.status["sessions"] = sessions
  let gateway = SimulatedGateway(state)
  var reader = OverviewReader(language: .german)
  for _ in 0..<6 { #expect(try await reader.read(from: gateway).sessions.count == 2) }
  #expect(
    gateway.heard.filter { $0.hasPrefix("LOG") } == ["LOG limit=200"]
      + Array(repeating: "LOG limit=2000 after=4", count: 5))
  #expect(gateway.heard.count { $0.hasPrefix("SESSIONS") } == requests)
}

@Test func `the question is the prompt that the button answers, and is requested only if one is open`() async throws {
  let oldest = #"{"prompt":2,"app":"logbook","kind":"upgrade","text":"?","choices":"always,keep,no","state":"open"}"#
  // Prompt 1 closed between the two commands.
  for (prompt, question) in [("3", 3), ("2", 2), ("1", nil), (nil, nil)] as [(String?, Int?)] {
    var state = SimulatedGateway.State.busy
    state.prompts.insert(oldest, at: 0)
    state.status["prompt"] = prompt
    let gateway = SimulatedGateway(state)
    var reader = OverviewReader(language: .english)
    #expect(try await reader.read(from: gateway).question?.prompt == question, "\(prompt ?? "none")")
    #expect(gateway.heard.contains("PROMPTS") == (prompt != nil))
  }
}

@Test func `an overview is read again after messages about prompts, marks and the light`() {
  #expect(OverviewReader.topics == [.ownerPrompt, .ownerApps, .indicator])
}

@Test(arguments: [
  ("log-fault", "unreadable", "Log: cannot be read"), ("log-fault", "untended", "Log: cannot be written"),
  ("store-fault", "write,unsaved:2", "store: write"),
])
func `a log that cannot be read or written, and changes that are not saved, are faults`(
  field: String, value: String, fault: String
) async throws {
  let overview = try await overview {
    ($0.status["log"], $0.status[field]) = ("failing", value)
  }
  #expect(overview.faults.contains(fault))
}

@Test(arguments: [
  ("0.84", "0.8"), ("2.96", "3.0"), ("999999", "999999.0"), ("1000000", nil), ("-1000000", nil), ("nan", nil),
  ("much", nil),
])
func `a precision has one decimal, and is left out from a million on`(text: String, shown: String?) async throws {
  let overview = try await overview { $0.sky = ["hdop": text, "hacc": text] }
  #expect(overview.hdop == shown && overview.horizontalAccuracy == shown)
}

@Test(arguments: [(7001, "8 s left"), (7000, "7 s left"), (1, "1 s left"), (0, "0 s left"), (-1000, "0 s left")])
func `the time for an answer is rounded up to seconds`(left: Int, text: String) async throws {
  let question = SimulatedGateway.State.question.dropLast() + #","left_ms":\#(left)}"#
  let overview = try await overview { $0.prompts = [String(question)] }
  #expect(overview.questionLeft == text)
}

@Test func `the light is dark if the indicator is off, and the kill switch is shown`() async throws {
  let overview = try await overview { ($0.status["indicator"], $0.status["locked"]) = ("off", "true") }
  #expect(!overview.isLit && overview.isLocked)
}
