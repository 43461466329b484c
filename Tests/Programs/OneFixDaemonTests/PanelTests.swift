import Authorization
import Base
import Decoding
import Hardware
import LineProtocol
import StateStore
import Testing

@testable import Gateway
@testable import onefixd

@Suite struct PanelTests {
  private func lines(
    columns: Int = 80, hasColours: Bool = false, offersPoints: Bool = false,
    _ change: (inout Snapshot) -> Void = { _ in }
  ) -> [String] {
    var snapshot = Snapshot(
      status: [
        "gateway": "boat-7", "board": "simulated", "receiver": "ready", "fix": "3d", "sats": "9", "source": "simulated",
      ], language: .english, receiver: ReceiverCondition(state: .ready), indication: .off, isLit: false,
      colour: Colour(red: 9, green: 8, blue: 7), isLocked: false, waiting: [], paused: [], log: [])
    change(&snapshot)
    let lines = Panel(rows: 24, columns: columns, hasColours: hasColours, offersPoints: offersPoints).lines(snapshot)
    #expect(lines.count == Panel.height)
    return lines
  }

  /// Returns a row without the sequences for colours, with single spaces.
  private func plain(_ line: String) -> String {
    line.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(separator: " ").joined(separator: " ")
  }

  private func app(_ name: String, purpose: String? = nil, isNext: Bool) throws -> Snapshot.Waiting {
    let app = try #require(AppID(name))
    return Snapshot.Waiting(app: app, since: UTCTime(nanosecondsSince1970: 0), purpose: purpose, isNext: isNext)
  }

  @Test func `A9: the panel marks the apps of the next press, and shows them first`() throws {
    #expect(lines().map(plain).contains("Waiting –"))
    let ferry = try app("ferry", isNext: false)
    #expect(lines { $0.waiting = [ferry] }.map(plain).contains("Waiting ferry"))
    let (logbook, parks) = (try app("logbook", isNext: true), try app("parks", purpose: "Find parks", isNext: true))
    #expect(
      lines { ($0.waiting, $0.status["each-press"]) = ([ferry, logbook, parks], "logbook") }.map(plain)
        .contains("Waiting ▸ logbook (each press) · ▸ parks: “Find parks” · ferry"))
    let german = lines { ($0.language, $0.waiting) = (.german, [parks]) }.map(plain)
    #expect(german.contains("Wartend ▸ parks: „Find parks“"))
  }

  @Test func `the panel names the outputs, and the one that got the fix of the latest press, without folders`() {
    let rows = lines {
      for (key, value) in [
        ("last-press", "served"), ("last-press-app", "family"), ("last-press-to", "file:///srv/points.gpx"),
        ("output-1", "file:///srv/points.gpx"), ("output-1-app", "family"), ("output-1-state", "connected"),
        ("output-2", "https://maps.example.org:8443"), ("output-2-app", "family"), ("output-2-waiting", "2"),
      ] {
        $0.status[key] = value
      }
    }.map(plain)
    #expect(rows.contains("Last press gave family one fix → points.gpx"))
    #expect(rows.contains { $0.hasPrefix("→ points.gpx") } && rows.contains { $0.hasPrefix("→ maps.example.org") })
    #expect(!rows.contains { $0.contains("/srv") || $0.contains("8443") }, "\(rows)")
  }

  @Test(arguments: Language.allCases)
  func `the panel has the language of the configuration, and no row is wider than the terminal`(language: Language) {
    for columns in [40, 60, 80, 120] {
      let rows = lines(columns: columns) {
        ($0.language, $0.status["last-press"], $0.status["last-press-app"]) = (language, "served", "parks")
        $0.question = .init(
          text: "Share with parks when you press?",
          ways: ["Press the button again within ten seconds: yes.", "Hold: no."], left: .seconds(8))
      }.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
      #expect(rows.allSatisfy { Columns.width(of: $0) <= columns }, "\(rows)")
      #expect(Columns.width(of: rows[0]) == columns, "the bar has the whole width")
      guard columns == 120 else { continue }
      for text in [
        GatewayPhrase.light.text(in: language), PressPhrase.served.text(in: language, [.app: "parks"]),
        PanelPhrase.keys.text(in: language), GatewayPhrase.left.text(in: language, [.count: "8"]),
      ] {
        #expect(rows.contains { $0.contains(text) }, "\(text)")
      }
    }
  }

  @Test func `a question has its own row, and a long question keeps its name`() {
    let name = String(repeating: "n", count: 40)
    let rows = lines {
      $0.question = .init(
        text: "Share location with \(name) when not in use?", ways: ["Press: no.", "Hold: no."], left: .seconds(3))
    }.map(plain)
    #expect(rows.contains("Share location with \(name) when not in use?") && rows.contains("Press: no. Hold: no."))
  }

  @Test func `the countdown is shown if it fits behind the question, and the effects share a row if they fit`() {
    func rows(_ text: String, _ ways: [String]) -> [String] {
      lines { $0.question = .init(text: text, ways: ways, left: .milliseconds(2500)) }.map(plain)
    }
    for (length, end) in [(67, " 3 s left"), (68, "")] {
      let text = String(repeating: "q", count: length)
      #expect(rows(text, ["a", "b"]).contains(text + end))
    }
    for (length, isShared) in [(37, true), (38, false)] {
      let ways = [String(repeating: "p", count: 38), String(repeating: "h", count: length)]
      #expect(rows("Share?", ways).contains(isShared ? ways.joined(separator: " ") : ways[1]))
    }
  }

  @Test func `the panel shows the key that lets an app ask again, unless the gateway is locked`() {
    let hint = "a: let ferry, parks ask again now"
    #expect(lines { $0.paused = ["ferry", "parks"] }.map(plain).contains(hint))
    #expect(!lines { ($0.paused, $0.isLocked) = (["ferry", "parks"], true) }.map(plain).contains(hint))
  }

  @Test func `the panel shows the key for points if it is offered, the progress of a hold, and a line at its end`() {
    let hint = "p: each press adds a point to a file"
    #expect(lines(offersPoints: true).map(plain).contains(hint) && !lines().map(plain).contains(hint))
    let rows = lines { $0.press = (.milliseconds(1500), .seconds(3)) }.map(plain)
    #expect(rows.contains("Button pressed ▰▰▰▰▰▰▱▱▱▱▱▱ 1.5 / 3.0 s"))
    #expect(rows.last == String(repeating: "─", count: 80))
  }

  @Test func `colour shows the lock, a question and a fix, and NO_COLOR leaves the words`() {
    func row(_ word: String, hasColours: Bool = true, _ change: (inout Snapshot) -> Void) -> String {
      lines(hasColours: hasColours, change).first { $0.contains(word) } ?? ""
    }
    #expect(row("locked") { ($0.isLocked, $0.status["locked"]) = (true, "true") }.contains("\u{1B}[1;31m"))
    #expect(row("asks") { $0.indication = .prompt }.contains("\u{1B}[1;33m"))
    #expect(row("in use") { ($0.indication, $0.isLit) = (.inUse, true) }.contains("\u{1B}[38;2;9;8;7m●"))
    #expect(
      row("gave") { ($0.status["last-press"], $0.status["last-press-app"]) = ("served", "a") }.contains("\u{1B}[32m"))
    #expect(row("too early") { $0.status["last-press"] = "too-early" }.contains("\u{1B}[33m"))
    #expect(!row("too early", hasColours: false) { $0.status["last-press"] = "too-early" }.contains("33m"))
  }

  @Test func `a terminal that is too small gets a message, and its questions count as not shown`() {
    func panel(_ rows: Int, _ columns: Int) -> Panel { Panel(rows: rows, columns: columns, hasColours: true) }
    #expect(panel(18, 40).hasRoom && !panel(17, 40).hasRoom && !panel(18, 39).hasRoom)
    #expect(panel(18, 80).showsQuestions && !panel(18, 79).showsQuestions && !panel(17, 80).showsQuestions)
    #expect(panel(5, 20).excuse(in: .german).contains("40 × 18"))
  }
}
