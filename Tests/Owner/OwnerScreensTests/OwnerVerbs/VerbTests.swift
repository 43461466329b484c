import Base
import Foundation
import LineProtocol
import OwnerScreens
import Testing

/// Every verb, with arguments and a suitable gateway.
let everyVerb = [
  "status", "apps", "show logbook", "allow ferry while-using", "allow ferry always", "deny ferry", "reset ferry",
  "accuracy ferry reduced", "prompts", "answer while-using reduced", "answer 3 no", "regions", "use ferry",
  "key add ferry", "key add ferry token", "key revoke ferry", "log", "receiver", "reload", "page", "lock",
  "place list", "place allow ferry harbour",
]

@Suite struct VerbTests {
  @Test(arguments: [
    ("status", ["STATUS"]), ("receiver", ["SKY", "STATUS"]), ("show ferry", ["APPS"]),
    ("allow ferry while-using", ["SET ferry status whenInUse", "APPS"]),
    ("allow ferry", ["SET ferry status whenInUse", "APPS"]),
    ("allow ferry for 90m", ["SET ferry status whenInUse for=5400", "APPS"]),
    ("allow ferry always FOR 7d", ["SET ferry status always for=604800", "APPS"]),
    ("reset ferry", ["RESET ferry", "APPS"]),
    ("accuracy ferry reduced", ["SET ferry accuracy reduced", "APPS"]), ("use ferry", ["USE ferry", "APPS"]),
    ("answer once", ["PROMPTS", "ANSWER 3 once language=en"]),
    ("answer 3 once full", ["PROMPTS", "ANSWER 3 once accuracy=full language=en"]),
    ("regions ferry", ["REGIONS app=ferry"]), ("regions", ["REGIONS"]), ("log", ["LOG limit=10"]),
    ("lock", ["LOCK"]), ("reload", ["RELOAD"]), ("page", ["PAGE"]), ("key revoke ferry", ["KEY REVOKE ferry"]),
    ("place deny ferry harbour", ["PLACE DENY ferry harbour", "PLACE LIST"]), ("key add ferry", ["KEY ADD ferry"]),
  ])
  func `a verb sends these commands`(verb: String, commands: [String]) async throws {
    let gateway = SimulatedGateway(.busy)
    _ = try await OwnerVerb(parsing: verb).perform(on: gateway, language: .english, columns: 80)
    #expect(gateway.heard == commands)
  }

  @Test(arguments: [
    ("allow logbook always", ["logbook: Always, approximate"]),
    ("allow ferry while-using", ["Fähre 公園: While using, precise"]), ("deny ferry", ["Fähre 公園: Never"]),
    ("accuracy logbook full", ["logbook: While using, precise"]), ("reset logbook", ["logbook: forgotten"]),
    ("key add ferry", ["The key of ferry, shown only now:", "kK-_kK-_kK-_kK-_kK-_kK-_kK-_kK-_kK-_kK-_end"]),
    ("key revoke ferry", ["ferry: key and token revoked"]),
    ("use ferry", ["Fähre 公園: in use from now on"]),
    ("use logbook", ["logbook: not connected, so not in use"]),
    ("answer while-using reduced", ["Fähre 公園: While using, approximate"]),
    (
      "prompts",
      [
        "#3  Share this location with Fähre 公園?", "  Fähre 公園 says: “To warn of shallows, in time”",
        "  Answer: once (Allow once), while-using (While using), no (Don’t allow)",
        "  Accuracy: full (precise), reduced (approximate)",
      ]
    ),
    (
      "show logbook",
      [
        "App          logbook", "Location     While using (the app asked for more)", "Accuracy     approximate",
        "Now          no request", "Connections  0", "Asks again   2026-11-21 07:31:34 UTC",
      ]
    ),
    (
      "regions",
      [
        "App    Region   Radius  Notifies     Now      Text", "ferry  harbour  250 m   entry, exit  inside   Home, 公園",
        "ferry  bay      1.5 km  exit         unknown",
      ]
    ),
    ("place list", ["Place    Radius  Known to", "harbour  300 m   ferry, logbook", "sea      20 km"]),
    (
      "receiver",
      [
        "Receiver    ready, 3D", "Satellites  11", "Latest fix  fresh", "Source      uart:/dev/ttyAMA0",
        "Frames      4711", "Errors      checksum:3, field:1",
        "Settings    partly applied; refused: rate; not answered: gst, sbas", "Fault       the line is full", "",
        "Satellites  El   Az    dB-Hz", "G05 ✓       41°  301°  44     ██████████████████████",
        "x70         3°   12°   20     ██████████", "s123        –    –     –",
      ]
    ),
    (
      "log",
      [
        "Time (UTC)           Entry  App      What",
        "2026-11-21 07:31:34  #1     ferry    one fix by a press, precise, simulated",
        "2026-11-21 07:31:34  #2              #1 arrived",
        "2026-11-21 07:32:00  #3     logbook  fixes from now on, approximate: While using",
        "2026-11-21 07:33:00  #4              #3 ended after 12 fixes: no longer in use",
      ]
    ),
  ])
  func `the report of a verb shows the result in short lines`(verb: String, lines: [String]) async throws {
    #expect(try await ownerReport(verb).lines == lines)
  }

  @Test func `a long text in the last column wraps completely`() async throws {
    let region =
      #"{"app":"ferry","id":"harbour","radius":250.0,"events":"enter,exit","state":"inside","#
      + #""text":"Home: put out the fenders, and call the harbour master"}"#
    let report = try await ownerReport("regions", .init(regions: [region]), columns: 79)
    #expect(
      report.lines == [
        "App    Region   Radius  Notifies     Now     Text",
        "ferry  harbour  250 m   entry, exit  inside  Home: put out the fenders, and",
        "                                             call the harbour master",
      ])
  }

  @Test(arguments: ["upgrade", "always", "precise"])
  func `no to a question about more than the present right has the text of keep, and only keep is offered`(
    kind: String
  ) async throws {
    let question =
      #"{"prompt":3,"app":"ferry","kind":"\#(kind)","text":"?","choices":"always,keep,no","state":"open","age_ms":5000}"#
    let state = SimulatedGateway.State(prompts: [question], choices: ["always", "keep", "no"])
    #expect(
      try await ownerReport("prompts", state, columns: 80).lines.contains(
        "  Answer: always (Always), keep (Keep as it is)"))
    #expect(try await ownerReport("answer no", state, columns: 80).lines == ["ferry: Keep as it is"])
    let entry = #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"answer","kind":"\#(kind)","#
    let log = try await ownerReport("log", .init(log: [entry + #""choice":"no","by":"button"}"#]), columns: 120)
    #expect(log.lines.last?.hasSuffix("answer: Keep as it is (button)") == true)
  }

  @Test func `the log lists answers with what was shown, borders without a fix, and the end of a right`() async throws {
    func entry(_ number: Int, _ event: String, _ more: String) -> String {
      #"{"entry":\#(number),"time":"2026-11-21T07:31:34.200Z","event":"\#(event)",\#(more)}"#
    }
    let start = #""app":"ferry","kind":"authorize","#
    let shown = #""accuracy":"reduced","choice":"while-using","says":"To find 公園","language":"de","#
    let log = [
      entry(1, "answer", start + shown + #""by":"socket","user":7"#),
      entry(2, "answer", start + #""choice":"no","by":"button""#),
      entry(3, "answer", start + #""choice":"once","language":"en","by":"console""#),
      entry(4, "answer", start + #""choice":"always","language":"en","by":"page""#),
      entry(5, "disclosure", #""app":"ferry","accuracy":"full","right":"always","transport":"unix""#),
      entry(6, "outcome", #""of":5,"outcome":"region""#), entry(7, "end", #""of":3,"outcome":"stopped","fixes":1"#),
      entry(8, "right-end", #""app":"ferry","right":"whenInUse","outcome":"denied""#),
    ]
    let report = try await ownerReport("log", .init(log: log), columns: 120)
    #expect(
      report.lines.dropFirst().map { $0.dropFirst("2026-11-21 07:31:34  #1     ".count) } == [
        "ferry  answer: While using, approximate (user 7, de), to “To find 公園”", "ferry  answer: Don’t allow (button)",
        "ferry  answer: Allow once (console, en)", "ferry  answer: Always (page, en)",
        "ferry  notified of a region border: Always", "       #5 was notified of a region border, without a position",
        "       #3 ended after 1 fix: stopped by the app", "ferry  the time is over: While using; now Never",
      ])
  }

  @Test(arguments: [
    (
      SimulatedGateway.App(id: "a", isArmed: true, isInUse: true, updates: "in-use"),
      "in use, gets fixes, waits for a press"
    ),
    (.init(id: "a", isInUse: true, updates: "background"), "in use, gets fixes in the background"),
    (.init(id: "a", isArmed: true, isNext: true, isInUse: true), "in use, gets the next press"),
    (.init(id: "a", isArmed: true, isNext: true, isForEachPress: true), "gets the next press (each press)"),
    (.init(id: "a", isArmed: true, isForEachPress: true), "waits for a press (each press)"),
  ])
  func `an app is listed with its use, its updates and its press`(app: SimulatedGateway.App, now: String) async throws {
    for verb in ["apps", "show a"] {
      let lines = try await ownerReport(verb, .init(apps: [app]), columns: 100).lines
      #expect(lines.contains { $0.hasSuffix("  " + now) }, "\(lines)")
    }
  }

  @Test func `tables are aligned with wide characters too, and long names wrap whole`() async throws {
    let report = try await ownerReport("apps", language: .japanese, columns: 60)
    #expect(
      report.lines == [
        "アプリ              位置情報    精度      現在",
        "ferry               共有時      正確      使用中、ボタン待ち",
        "logbook             使用中のみ  おおよそ",
        "long-long-long-lon  許可しない  正確",
        " g-long-long-long-", " long-long-long-lo", " ng-long-name",
      ])
  }

  @Test(arguments: Language.allCases, [20, 33, 40, 60, 80, 200])
  func `no line is wider than the terminal or contains control characters`(
    language: Language, columns: Int
  ) async throws {
    for verb in everyVerb {
      let report = try await ownerReport(verb, language: language, columns: columns)
      #expect(!report.lines.isEmpty)
      for line in report.lines {
        #expect(Columns.width(of: line) <= columns, "\(verb): \(line)")
        #expect(line.unicodeScalars.allSatisfy { $0.isPlain } && line.last != " ", "\(verb): \(line)")
        #expect(!line.contains("{") && !line.contains("}"), "\(verb): \(line)")
      }
    }
  }

  @Test func `the JSON output is the same in every language`() async throws {
    for verb in everyVerb {
      var found: Set<[String]> = []
      for language in Language.allCases {
        found.insert(try await ownerReport(verb, language: language).json)
      }
      let json = try #require(found.first)
      #expect(found.count == 1 && !json.isEmpty, "\(verb)")
      for line in json {
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], "\(verb): \(line)")
      }
    }
  }

  @Test func `an empty list is reported`() async throws {
    for verb in ["apps", "prompts", "regions", "log", "place list"] {
      let report = try await ownerReport(verb, .init())
      #expect(report.lines.count == 1 && report.json.isEmpty, "\(verb)")
    }
  }
}

@Suite struct FailureTests {
  private func failure(_ verb: String, _ state: SimulatedGateway.State = .busy) async throws -> OwnerFailure {
    try await #require(throws: OwnerFailure.self) { () async throws in _ = try await ownerReport(verb, state) }
  }

  private static let noApp = "There is no app “nobody”; apps lists the apps."
  private static let noKey = "There is no app “nobody”, or it has no key = true in onefix.toml."
  private static let locked = SimulatedGateway.State(apps: [.init(id: "ferry", sessions: 1)], isLocked: true)

  @Test(arguments: [
    ("show nobody", ErrorCode.badArgument, noApp), ("allow nobody always", .badArgument, noApp),
    ("deny nobody", .badArgument, noApp), ("reset nobody", .badArgument, noApp),
    ("accuracy nobody full", .badArgument, noApp), ("use nobody", .badArgument, noApp),
    ("key add nobody", .badArgument, noKey), ("key add nobody token", .badArgument, noKey),
    ("key revoke nobody", .badArgument, noKey), ("answer 2 once", .expired, "This question is no longer open."),
    ("answer always", .badArgument, "The question does not accept this answer; prompts shows the possible answers."),
  ])
  func `a refused command has a text with its reason`(verb: String, code: ErrorCode, text: String) async throws {
    let failure = try await failure(verb)
    #expect(failure.error.code == code && failure.text(in: .english) == text)
  }

  @Test func `without an open question there is no answer, and while the gateway is locked no use begins`() async throws
  {
    let nothing = try await failure("answer yes", .init())
    #expect(nothing.text(in: .english) == "No question is open." && nothing.error.code == .expired)
    #expect(try await failure("use ferry", Self.locked).error.code == .locked)
  }

  private func asked(_ milliseconds: Int) -> SimulatedGateway.State {
    var state = SimulatedGateway.State.busy
    state.prompts[0] = state.prompts[0].replacing("\"state\"", with: "\"age_ms\":\(milliseconds),\"state\"")
    return state
  }

  @Test func `a prompt that is too recent to be read can be answered only by its number`() async throws {
    let gateway = SimulatedGateway(asked(999))
    let failure = try await #require(throws: OwnerFailure.self) { () async throws in
      _ = try await OwnerVerb(parsing: "answer once").perform(on: gateway, language: .english, columns: 80)
    }
    #expect(gateway.heard == ["PROMPTS"])
    let text = "This question is new: read it, then answer it by its number: #3 Share this location with Fähre 公園?"
    #expect(failure.text(in: .english) == text)
    for (answer, age) in [("answer once", 1000), ("answer 3 once", 0)] {
      let gateway = SimulatedGateway(asked(age))
      _ = try await OwnerVerb(parsing: answer).perform(on: gateway, language: .english, columns: 80)
      #expect(gateway.heard == ["PROMPTS", "ANSWER 3 once language=en"])
    }
  }

  @Test(arguments: Language.allCases)
  func `each error of a line has its own text, with the typed word without control characters`(language: Language)
    throws
  {
    for (line, shown) in [
      ("fl\u{1B}[2Jy", "fl[2Jy"), ("allow ferry al\u{202E}wyas", "alwyas"), ("lock now", "now"),
      ("log ferry 2001", "2001"), ("log ferry 2001", "2000"), ("allow", "allow APP [while-using|always]"),
    ] {
      let error = try #require(throws: VerbError.self) { try OwnerVerb(parsing: line) }
      let text = error.text(in: language)
      #expect(text.contains(shown) && text.unicodeScalars.allSatisfy { $0.isPlain } && !text.contains("{"))
    }
    let faults: [VerbError.Fault] = [
      .empty, .unknown("x", nearest: nil), .unknown("x", nearest: "apps"), .missing(.app), .missing(.accuracy),
      .missing(.choice), .misread("x", .app, nearest: nil), .misread("x", .prompt, nearest: nil),
      .misread("x", .count, nearest: nil), .misread("x", .choice, nearest: nil), .misread("x", .choice, nearest: "yes"),
      .surplus("x"), .accuracyOfNo("x"),
    ]
    #expect(Set(faults.map { VerbError("answer", $0).text(in: language) }).count == faults.count)
  }

  @Test func `languages without spaces have none before the usage, and their own comma in lists`() throws {
    let error = try #require(throws: VerbError.self) { try OwnerVerb(parsing: "accuracy ferry fulll") }
    #expect(
      error.text(in: .japanese)
        == "「fulll」は full、reduced、place のどれでもありません。full ですか？書き方：accuracy APP full|reduced|place")
    #expect(error.text(in: .simplifiedChinese).contains("full、reduced、place 之中；是否指 full？写法：accuracy"))
  }
}

/// The changed fields of a status, and words of its text.
@Test(
  arguments: [
    ([:], "Question #3 ferry Waiting ferry, logbook Connections 2 Log good"),
    (["next": "logbook"], "Question #3 ferry Waiting logbook (next press), ferry Connections"),
    (["next": "logbook,ferry"], "Waiting ferry (next press), logbook (next press) Connections"),
    (["next": "#3"], "Question #3 ferry (next press) Waiting ferry, logbook Connections"),
    (
      ["next": "main:ferry,side:logbook"],
      "Question #3 ferry Waiting ferry (next press of main), logbook (next press of side) Connections"
    ),
    (["next": "main:ferry,side:ferry"], "Waiting ferry (next press of main, side), logbook Connections"),
    (
      ["armed": "logbook,weather", "each-press": "logbook", "next": "logbook"],
      "Waiting logbook (each press) (next press), weather Connections"
    ),
    (["last-press": "served", "last-press-app": "ferry"], "Last press gave ferry one fix Connections"),
    (["last-press": "no-fix", "last-press-app": "ferry,ais"], "Last press ferry, ais got no fix Connections"),
    (
      ["last-press": "output-full", "last-press-app": "ferry"],
      "Last press ferry got no fix: too many fixes already wait for its output Connections"
    ),
    (
      ["last-press": "unconfirmed", "last-press-app": "ferry"],
      "Last press it is unknown whether ferry got the fix Connections"
    ),
    (["last-press": "too-early"], "Last press too early, press again Connections"),
    (["last-press": "word-of-later"], "Last press word-of-later Connections"),
    (
      lost("mqtt-1", ["since": "2026-11-21T07:31:34.000Z"]),
      "a:1 for ferry: disconnected since 2026-11-21 07:31:34 UTC; 2 waiting Log"
    ),
    (lost("mqtt-1", [:]), "Broker a:1 for ferry: disconnected; 2 waiting Log"),
    (lost("mqtt-1", ["full": "true"]), "a:1 for ferry: disconnected; 2 waiting, full: a press adds no fix Log"),
    (lost("output-1", ["full": "true"]), "Output a:1 for ferry: not usable; 2 waiting, full: a press adds no fix Log"),
    (lost("output-1", [:]), "Output a:1 for ferry: not usable; 2 waiting Log"),
    (["restart-for": "board,page"], "After the next start: board, page"),
  ] as [(ServerLine.Fields, String)])
func `A9: the status has the question, the apps of the next press, the latest press and each output`(
  changes: ServerLine.Fields, text: String
) async throws {
  var state = SimulatedGateway.State.busy
  for change in changes.pairs { state.status[change.key] = change.value }
  let lines = try await ownerReport("status", state, columns: 100).lines
  let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  #expect(words.contains(text), "\(words)")
}

/// The fields of an output that is disconnected.
private func lost(_ key: String, _ more: ServerLine.Fields) -> ServerLine.Fields {
  var fields: ServerLine.Fields = [key: "a:1", key + "-app": "ferry", key + "-waiting": "2"]
  for field in more.pairs { fields["\(key)-\(field.key)"] = field.value }
  return fields
}

@Test func `in the status, a terminal with colours shows the kill switch and faults in red`() async throws {
  var state = SimulatedGateway.State.busy
  (state.status["locked"], state.status["button-fault"]) = ("true", "cannot read the line")
  for columns in [100, 30] {
    let plain = try await ownerReport("status", state, columns: columns).lines
    let coloured = try await ownerReport("status", state, columns: columns, hasColours: true).lines
    let red = coloured.filter { $0.hasSuffix("\u{1B}[0m") }
    #expect(red.contains { $0.contains("\u{1B}[1;31mlocked;") } && red.contains { $0.contains("\u{1B}[1;31mbutton:") })
    #expect(coloured.map { $0.replacing("\u{1B}[1;31m", with: "").replacing("\u{1B}[0m", with: "") } == plain)
    #expect(red.count < coloured.count && !plain.contains { $0.contains("\u{1B}") })
  }
}

@Test func `the effect of a press names the outputs that got the fix or did not, without folders and ports`() {
  let outputs =
    "file:///srv/points.gpx,https://maps.example.org:8443,serial:///dev/pts/1,mqtt://[::1]:1883,http://[::1]"
  let fields: ServerLine.Fields = [
    "last-press": "served", "last-press-app": "family", "last-press-to": outputs, "last-press-failed": "mqtt://b:1",
  ]
  #expect(
    TextFormatter(unwrapped: .english).lastPress(fields)
      == "gave family one fix → points.gpx, maps.example.org, pts/1, [::1], [::1]; not delivered: b")
}

@Test func `D6: the table, the answer to a command, top and the page say until when an app is allowed`() async throws {
  let ferry = SimulatedGateway.App(id: "ferry", status: .whenInUse, until: "2026-11-21T14:30:00.000Z", then: "never")
  let gateway = SimulatedGateway(.init(apps: [ferry]))
  for verb in ["apps", "show ferry"] {
    let report = try await OwnerVerb(parsing: verb).perform(on: gateway, language: .english, columns: 100)
    #expect(report.lines.contains { $0.contains("14:30") }, "\(report.lines)")
  }
  let app = try #require(try await OwnerViews(of: gateway, in: .english).apps().first)
  // The page replaces the time with that of the browser's time zone.
  #expect(
    [app.statusWithEnd, app.until, app.limited]
      == ["While using until 14:30", "2026-11-21 14:30:00", "While using until {time}"])
  var reader = OverviewReader(language: .english)
  #expect(try await reader.read(from: gateway).apps.first?.statusWithEnd == app.statusWithEnd)
}

@Test func `a log with local times has both times, and dates are whole on a narrow terminal`() throws {
  let entries = SimulatedGateway.State.busy.log.compactMap { EntryMessage(json: $0) }
  for (columns, language) in [(80, Language.english), (60, .german), (60, .japanese)] {
    let lines = EntryMessage.table(entries, language: language, columns: columns) { _ in "08:31:34" }
    #expect(lines.allSatisfy { Columns.width(of: $0) <= columns })
    #expect(lines[0].contains(PagePhrase.localTime.text(in: language)))
    #expect(lines.contains { $0.hasPrefix("2026-11-21 07:31:34  08:31:34") })
  }
  #expect(!EntryMessage.table(entries, language: .english, columns: 80)[0].contains("Local"))
}
