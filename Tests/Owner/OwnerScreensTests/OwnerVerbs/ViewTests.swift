import Base
import LineProtocol
import Testing

@testable import OwnerScreens

private func views(_ language: Language = .english) -> OwnerViews<SimulatedGateway> {
  OwnerViews(of: SimulatedGateway(.busy), in: language)
}

@Suite struct ViewTests {
  @Test func `each choice has a text`() {
    #expect(PromptChoice.allCases.allSatisfy { ChoicePhrase(rawValue: $0.rawValue) != nil })
  }

  @Test func `the state has the rows of status`() async throws {
    let view = try await views().status()
    #expect(!view.isLocked)
    #expect(view.rows.first?.label == "Gateway" && view.rows.first?.value == "boat-7 on board raspberry-pi-4")
    let told = try await ownerReport("status", columns: 4096).lines
    #expect(view.rows.count == told.count)
    for (row, line) in zip(view.rows, told) { #expect(line.hasPrefix(row.label) && line.hasSuffix(row.value)) }
  }

  @Test func `numbers of any size can be shown`() async throws {
    let region = #"{"app":"ferry","id":"harbour","radius":1e300,"events":"enter","state":"inside","text":""}"#
    let state = SimulatedGateway.State(regions: [region], places: [#"{"name":"sea","radius":-1e300,"apps":""}"#])
    for verb in ["regions", "place list"] {
      #expect(try await ownerReport(verb, state).lines.last?.contains("1e+300 m") == true, "\(verb)")
    }
    let page = TextFormatter(unwrapped: .english).page("link", seconds: .max)
    #expect(page.last?.contains("within 16667 minutes") == true)
  }

  @Test func `an app has its display name, and its authorization as a wire word and as text`() async throws {
    let apps = try await views(.german).apps()
    #expect(apps.map(\.app).prefix(2) == ["ferry", "logbook"])
    #expect(apps[0].title == "Fähre 公園" && apps[0].now == "in Gebrauch, wartet auf den Knopf")
    #expect(apps[1].shown == "while-using" && apps[1].status == "Beim Verwenden" && apps[1].now == "keine Anfrage")
  }

  @Test func `an app of the next press has a card with its purpose, and only active apps are active`() async throws {
    let state = SimulatedGateway.State(apps: [
      .init(id: "ferry", name: "Ferry", isArmed: true, isNext: true, says: "To warn of shallows"),
      .init(id: "logbook", isArmed: true), .init(id: "weather", status: .whenInUse),
      // Only outputs of this app wait.
      .init(id: "map", isArmed: true, isNext: true, isForEachPress: true),
    ])
    let apps = try await OwnerViews(of: SimulatedGateway(state), in: .english).apps()
    #expect(
      apps.map(\.waits)
        == ["Ferry waits: press the button", nil, nil, "map (each press) waits: press the button"])
    #expect(apps[0].says == "Ferry says: “To warn of shallows”" && apps[1].says == nil)
    #expect(apps.map(\.isActive) == [true, true, false, true])
  }

  @Test func `the signals have strengths, and neither directions nor numbers of satellites`() async throws {
    let signals = try await views().signals()
    #expect(signals.map(\.constellation) == ["?", "GPS", "SBAS"])
    #expect(signals.map(\.text).last == "0 of 1 used, up to 0 dB-Hz")
    let gps = #"{"constellation":"GPS","text":"1 of 1 used, up to 44 dB-Hz","bars":[{"strength":44,"isUsed":true}]}"#
    #expect(signals[1].json.text == gps)
  }

  @Test(arguments: [("120,120,120,640", [120, 120, 120, 640]), ("1000", [1000]), ("", []), ("x,-", [])])
  func `the state has the pattern of the light`(field: String, pattern: [Int]) async throws {
    let state = SimulatedGateway.State(status: ["indicator": "prompt", "indicator-pattern": field])
    let view = try await OwnerViews(of: SimulatedGateway(state), in: .english).status()
    #expect(view.lastPress == "Last press")
    #expect(view.pattern == pattern && view.rows.contains { $0.label == view.light && $0.value == "asks" })
  }

  @Test func `a prompt has its number, the app's text and the choices`() async throws {
    let prompts = try await views().prompts()
    #expect(prompts.map(\.prompt) == [3])
    #expect(prompts[0].says == "Fähre 公園 says: “To warn of shallows, in time”" && prompts[0].isAboutAccuracy)
    #expect(prompts[0].choices.map(\.text) == ["Allow once", "While using", "Don’t allow"])
  }

  @Test func `the log is shown latest first, and later only new entries are requested`() async throws {
    let gateway = SimulatedGateway(.busy)
    let views = OwnerViews(of: gateway, in: .english)
    var log = LogView()
    #expect(try await views.read(into: &log, count: 3))
    _ = try await views.read(into: &log, count: 3)
    #expect(gateway.heard == ["LOG limit=3", "LOG limit=2000 after=4"])
    let rows = views.rows(of: log)
    #expect(rows.count == 3 && rows.first?.entry == "#4" && rows.first?.time == "2026-11-21 07:33:00")
  }

  @Test(arguments: [
    (2, 4, [3, 2], "LOG limit=2 after=1"), (20, 3, [2, 1], "LOG limit=20 after=0"),
    (2, 1, [], "LOG limit=2 after=0"),
  ])
  func `an earlier page of the log ends before an entry, and is read once`(
    count: Int, end: Int, entries: [Int], command: String
  ) async throws {
    let gateway = SimulatedGateway(.busy)
    let views = OwnerViews(of: gateway, in: .english)
    var log = LogView()
    #expect(try await views.read(into: &log, count: count, before: end) == !entries.isEmpty)
    #expect(gateway.heard == [command] && views.rows(of: log).map(\.entry) == entries.map { "#\($0)" })
    if !entries.isEmpty { #expect(try await !views.read(into: &log, count: count, before: end)) }
  }

  @Test func `the result of a verb is a list of lines`() async throws {
    #expect(
      try await views().lines(of: OwnerVerb(parsing: "lock")) == ["Locked: nothing is shared until the button is held."]
    )
    await #expect(throws: OwnerFailure.self) { try await views().lines(of: OwnerVerb(parsing: "deny nobody")) }
  }
}
