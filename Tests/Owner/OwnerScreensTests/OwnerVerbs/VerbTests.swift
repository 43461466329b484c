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
    ("status", ["STATUS"]), ("receiver", ["SKY", "STATUS"]), ("apps", ["APPS"]), ("show ferry", ["APPS"]),
    ("allow ferry while-using", ["SET ferry status whenInUse", "APPS"]),
    ("allow ferry always", ["SET ferry status always", "APPS"]),
    ("allow ferry", ["SET ferry status whenInUse", "APPS"]),
    ("allow ferry for 90m", ["SET ferry status whenInUse for=5400", "APPS"]),
    ("allow ferry always FOR 7d", ["SET ferry status always for=604800", "APPS"]),
    ("deny ferry", ["SET ferry status denied", "APPS"]), ("reset ferry", ["RESET ferry", "APPS"]),
    ("accuracy ferry reduced", ["SET ferry accuracy reduced", "APPS"]), ("use ferry", ["USE ferry", "APPS"]),
    ("prompts", ["PROMPTS"]), ("answer once", ["PROMPTS", "ANSWER 3 once language=en"]),
    ("answer 3 once full", ["PROMPTS", "ANSWER 3 once accuracy=full language=en"]),
    ("regions ferry", ["REGIONS app=ferry"]), ("regions", ["REGIONS"]), ("log", ["LOG limit=10"]),
    ("log ferry 3", ["LOG app=ferry limit=3"]), ("lock", ["LOCK"]), ("reload", ["RELOAD"]), ("page", ["PAGE"]),
    ("place list", ["PLACE LIST"]), ("place deny ferry harbour", ["PLACE DENY ferry harbour", "PLACE LIST"]),
    ("key add ferry", ["KEY ADD ferry"]), ("key add ferry token", ["KEY ADD ferry token"]),
    ("key revoke ferry", ["KEY REVOKE ferry"]),
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

  @Test func `the status lists the keys of the configuration that wait for the next start`() async throws {
    var state = SimulatedGateway.State.busy
    state.status["restart-for"] = "board,page"
    let lines = try await ownerReport("status", state, columns: 80).lines
    #expect(lines.last?.hasSuffix("After the next start: board, page") == true, "\(lines)")
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

  @Test func `the log lists each answer with its way, and with the language and the purpose that were shown`()
    async throws
  {
    let start = #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"answer","kind":"authorize","#
    let log = [
      #""accuracy":"reduced","choice":"while-using","says":"To find 公園","language":"de","by":"socket","user":7}"#,
      #""choice":"no","by":"button"}"#, #""choice":"once","language":"en","by":"console"}"#,
      #""choice":"always","language":"en","by":"page"}"#,
    ].map { start + $0 }
    let report = try await ownerReport("log", .init(log: log), columns: 120)
    #expect(
      report.lines.dropFirst().map { $0.dropFirst("2026-11-21 07:31:34  #1     ferry  ".count) } == [
        "answer: While using, approximate (user 7, de), to “To find 公園”", "answer: Don’t allow (button)",
        "answer: Allow once (console, en)", "answer: Always (page, en)",
      ])
  }

  @Test(arguments: Language.allCases)
  func `the log in a shell is the table of the console`(language: Language) async throws {
    let entries = SimulatedGateway.State.busy.log.compactMap { EntryMessage(json: $0) }
    let report = try await ownerReport("log", language: language)
    #expect(EntryMessage.table(entries, language: language, columns: 80) == report.lines)
  }

  @Test func `a border notification is not listed as a fix, and one fix is singular`() async throws {
    let log = [
      #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"disclosure","accuracy":"full","#
        + #""right":"always","transport":"unix"}"#,
      #"{"entry":2,"time":"2026-11-21T07:31:34.300Z","event":"outcome","of":1,"outcome":"region"}"#,
      #"{"entry":4,"time":"2026-11-21T07:33:00.000Z","event":"end","of":3,"outcome":"stopped","fixes":1}"#,
    ]
    let report = try await ownerReport("log", .init(log: log), columns: 90)
    #expect(
      report.lines.dropFirst() == [
        "2026-11-21 07:31:34  #1     ferry  notified of a region border: Always",
        "2026-11-21 07:31:34  #2            #1 was notified of a region border, without a position",
        "2026-11-21 07:33:00  #4            #3 ended after 1 fix: stopped by the app",
      ])
  }

  @Test(arguments: [
    ("in-use", false, "in use, gets fixes, waits for a press"),
    ("background", false, "in use, gets fixes in the background, waits for a press"),
    (nil, false, "in use, waits for a press"), (nil, true, "in use, gets the next press"),
  ])
  func `an app that receives fixes is marked, with updates in the background, and so is the app of the next press`(
    updates: String?, isNext: Bool, now: String
  ) async throws {
    var state = SimulatedGateway.State.busy
    (state.apps[0].updates, state.apps[0].isNext) = (updates, isNext)
    #expect(try await ownerReport("show ferry", state).lines.contains("Now          " + now))
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

  @Test(arguments: [
    "show nobody", "allow nobody always", "deny nobody", "reset nobody", "accuracy nobody full", "use nobody",
  ])
  func `an unknown app is the gateway's error, and the text contains its name`(verb: String) async throws {
    let failure = try await failure(verb)
    #expect(failure.error.code == .badArgument && failure.verb.values.app == "nobody")
    for language in Language.allCases { #expect(failure.text(in: language).contains("nobody")) }
    #expect(failure.text(in: .english) == "There is no app “nobody”; apps lists the apps.")
  }

  @Test(arguments: ["key add nobody", "key add nobody token", "key revoke nobody"])
  func `if an app cannot have a key, the text explains the reason`(verb: String) async throws {
    let failure = try await failure(verb)
    #expect(failure.error.code == .badArgument)
    for language in Language.allCases {
      #expect(failure.text(in: language).contains("nobody") && failure.text(in: language).contains("key = true"))
    }
  }

  @Test func `an answer without a prompt, a late one and an invalid one have different texts`() async throws {
    var silent = SimulatedGateway.State.busy
    silent.prompts = []
    let nothing = try await failure("answer yes", silent)
    #expect(nothing.text(in: .english) == "No question is open." && nothing.error.code == .expired)
    #expect(try await failure("answer 2 once").text(in: .english) == "This question is no longer open.")
    let other = try await failure("answer always").text(in: .english)
    #expect(other.hasPrefix("The question does not accept this answer"))
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
    for language in Language.allCases { #expect(failure.text(in: language).contains("#3 ")) }
    let text = "This question is new: read it, then answer it by its number: #3 Share this location with Fähre 公園?"
    #expect(failure.text(in: .english) == text)
    for (answer, age) in [("answer once", 1000), ("answer 3 once", 0)] {
      let gateway = SimulatedGateway(asked(age))
      _ = try await OwnerVerb(parsing: answer).perform(on: gateway, language: .english, columns: 80)
      #expect(gateway.heard == ["PROMPTS", "ANSWER 3 once language=en"])
    }
  }

  @Test func `no use can begin while the gateway is locked`() async throws {
    var locked = SimulatedGateway.State.busy
    locked.isLocked = true
    #expect(try await failure("use ferry", locked).error.code == .locked)
  }

  @Test(arguments: Language.allCases)
  func `an invalid word is shown in every language without control characters`(language: Language) throws {
    for (line, shown) in [("fl\u{1B}[2Jy", "fl[2Jy"), ("allow ferry al\u{202E}wyas", "alwyas"), ("lock now", "now")] {
      let error = try #require(throws: VerbError.self) { try OwnerVerb(parsing: line) }
      let text = error.text(in: language)
      #expect(text.contains(shown) && text.unicodeScalars.allSatisfy { $0.isPlain } && !text.contains("{"))
    }
    let error = VerbError("allow", .missing(.app))
    #expect(error.text(in: language).contains("allow APP [while-using|always]"))
  }

  @Test func `languages without spaces have none before the usage, and their own comma in lists`() throws {
    let error = try #require(throws: VerbError.self) { try OwnerVerb(parsing: "accuracy ferry fulll") }
    #expect(
      error.text(in: .japanese)
        == "「fulll」は full、reduced、place のどれでもありません。full ですか？書き方：accuracy APP full|reduced|place")
    #expect(error.text(in: .simplifiedChinese).contains("full、reduced、place 之中；是否指 full？写法：accuracy"))
  }

  @Test func `a request for too many entries is answered with the maximum`() throws {
    let error = try #require(throws: VerbError.self) { try OwnerVerb(parsing: "log ferry 2001") }
    for language in Language.allCases {
      let text = error.text(in: language)
      #expect(text.contains("2000") && text.contains("2001") && !text.contains("{"))
    }
  }

  @Test func `every error has its own text`() {
    let faults: [VerbError.Fault] = [
      .empty, .unknown("x", nearest: nil), .unknown("x", nearest: "apps"), .missing(.app), .missing(.accuracy),
      .missing(.choice), .misread("x", .app, nearest: nil), .misread("x", .prompt, nearest: nil),
      .misread("x", .count, nearest: nil), .misread("x", .choice, nearest: nil), .misread("x", .choice, nearest: "yes"),
      .surplus("x"), .accuracyOfNo("x"),
    ]
    for language in Language.allCases {
      #expect(Set(faults.map { VerbError("answer", $0).text(in: language) }).count == faults.count)
    }
  }
}

/// The rows of a changed status, with single spaces.
private func statusRows(
  language: Language = .english, _ change: (inout ServerLine.Fields) -> Void
) async throws -> [String] {
  var state = SimulatedGateway.State.busy
  change(&state.status)
  return try await ownerReport("status", state, language: language, columns: 100).lines
    .map { $0.split(separator: " ").joined(separator: " ") }
}

@Test(arguments: [
  (nil, "#3 ferry", "ferry, logbook"), ("logbook", "#3 ferry", "logbook (next press), ferry"),
  ("logbook,ferry", "#3 ferry", "ferry (next press), logbook (next press)"),
  ("#3", "#3 ferry (next press)", "ferry, logbook"),
  ("main:ferry,side:logbook", "#3 ferry", "ferry (next press of main), logbook (next press of side)"),
  ("main:ferry,side:ferry", "#3 ferry", "ferry (next press of main, side), logbook"),
])
func `A9: the status marks the app or the question that the next press is for`(
  next: String?, question: String, waiting: String
) async throws {
  let rows = try await statusRows { $0["next"] = next }
  #expect(rows.contains("Question \(question)") && rows.contains("Waiting \(waiting)"), "\(rows)")
}

@Test(arguments: [
  ("served", "ferry", "gave ferry one fix", "ferry erhielt einen Fix"),
  ("no-fix", "ferry,ais", "ferry, ais got no fix", "ferry, ais erhielt keinen Fix"),
  (
    "output-full", "ferry", "ferry got no fix: too many fixes already wait for its output",
    "ferry erhielt keinen Fix: zu viele Fixe warten schon auf die Ausgabe"
  ),
  ("unconfirmed", "ferry", "it is unknown whether ferry got the fix", "unbekannt, ob ferry den Fix erhielt"),
  ("too-early", nil, "too early, press again", "zu früh, nochmals drücken"),
  ("word-of-later", nil, "word-of-later", "word-of-later"),
])
func `the status says what the latest press did`(
  word: String, app: String?, english: String, german: String
) async throws {
  for (language, row) in [(Language.english, "Last press \(english)"), (.german, "Letzter Druck \(german)")] {
    let rows = try await statusRows(language: language) { ($0["last-press"], $0["last-press-app"]) = (word, app) }
    #expect(rows.contains(row), "\(rows)")
  }
}

@Test(arguments: [(Language.english, "a press adds no fix"), (.german, "ein Druck fügt keinen Fix hinzu")])
func `the status says that a press adds no fix for an output with too many waiting fixes`(
  language: Language, text: String
) async throws {
  for key in ["mqtt-1", "output-1"] {
    for isFull in [true, false] {
      let rows = try await statusRows(language: language) {
        ($0[key], $0[key + "-app"], $0[key + "-waiting"]) = ("https://example.org", "ferry", "64")
        $0[key + "-full"] = isFull ? "true" : nil
      }
      // A long row has several lines.
      #expect(rows.joined(separator: " ").contains(text) == isFull, "\(rows)")
    }
  }
}

@Test(arguments: [
  (Language.english, "Waiting logbook (each press) (next press), weather"),
  (.german, "Wartend logbook (bei jedem Druck) (nächster Druck), weather"),
])
func `the status says which app waits for each press`(language: Language, row: String) async throws {
  let rows = try await statusRows(language: language) {
    ($0["armed"], $0["each-press"], $0["next"]) = ("logbook,weather", "logbook", "logbook")
  }
  #expect(rows.contains(row), "\(rows)")
}

@Test(arguments: [
  (Language.english, true, "gets the next press (each press)"), (.english, false, "waits for a press (each press)"),
  (.german, true, "erhält den nächsten Druck (bei jedem Druck)"),
])
func `the list of the apps says which app waits for each press`(
  language: Language, isNext: Bool, text: String
) async throws {
  let app = SimulatedGateway.App(id: "logbook", isArmed: true, isNext: isNext, isForEachPress: true)
  let gateway = SimulatedGateway(.init(apps: [app, .init(id: "weather", isArmed: true)]))
  for verb in ["apps", "show logbook"] {
    let report = try await OwnerVerb(parsing: verb).perform(on: gateway, language: language, columns: 100)
    #expect(report.lines.count { $0.hasSuffix(text) } == 1, "\(report.lines)")
  }
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

@Test func `the effect of a press names the outputs that got the fix, without folders and ports`() {
  let outputs =
    "file:///srv/points.gpx,https://maps.example.org:8443,serial:///dev/pts/1,mqtt://[::1]:1883,http://[::1]"
  let fields: ServerLine.Fields = ["last-press": "served", "last-press-app": "family", "last-press-to": outputs]
  #expect(
    TextFormatter(unwrapped: .english).lastPress(fields)
      == "gave family one fix → points.gpx, maps.example.org, pts/1, [::1], [::1]")
}

@Test(arguments: [
  (Language.english, "gave family one fix → points.gpx; not delivered: maps.example.org"),
  (.german, "family erhielt einen Fix → points.gpx; nicht zugestellt: maps.example.org"),
])
func `the effect of a press names the outputs that did not get the fix`(language: Language, text: String) {
  let fields: ServerLine.Fields = [
    "last-press": "served", "last-press-app": "family", "last-press-to": "file:///srv/points.gpx",
    "last-press-failed": "https://maps.example.org:8443",
  ]
  #expect(TextFormatter(unwrapped: language).lastPress(fields) == text)
}

@Test(arguments: [
  (Language.english, "While using until 14:30"), (.german, "Beim Verwenden bis 14:30"), (.japanese, "（14:30まで）"),
  (.vietnamese, "đến 14:30"), (.simplifiedChinese, "，至 14:30"),
])
func `D6: the table, the answer to a command, top and the page say until when an app is allowed`(
  language: Language, text: String
) async throws {
  let ferry = SimulatedGateway.App(id: "ferry", status: .whenInUse, until: "2026-11-21T14:30:00.000Z", then: "never")
  let gateway = SimulatedGateway(.init(apps: [ferry]))
  for verb in ["apps", "show ferry"] {
    let report = try await OwnerVerb(parsing: verb).perform(on: gateway, language: language, columns: 100)
    #expect(report.lines.contains { $0.contains("14:30") }, "\(report.lines)")
  }
  let apps = try await OwnerViews(of: gateway, in: language).apps()
  #expect(apps.first?.statusWithEnd?.contains(text) == true, "\(apps)")
  // The page replaces the time with that of the browser's time zone.
  #expect(apps.first?.until == "2026-11-21 14:30:00" && apps.first?.limited?.contains("{time}") == true)
  var reader = OverviewReader(language: language)
  #expect(try await reader.read(from: gateway).apps.first?.statusWithEnd?.contains(text) == true)
}

@Test(arguments: Language.allCases)
func `D6: the log and the notification say which right has ended, and what applies now`(language: Language) throws {
  let entry =
    #"{"entry":7,"time":"2026-11-21T14:30:00Z","app":"ferry","event":"right-end","right":"whenInUse","#
    + #""outcome":"notDetermined"}"#
  let lines = EntryMessage.table([try #require(EntryMessage(json: entry))], language: language, columns: 200)
  for phrase in [StatusPhrase.whileUsing, .askNextTime] {
    #expect(lines.contains { $0.contains(phrase.text(in: language)) }, "\(lines)")
  }
  let told = ServerLine.Message(
    topic: Topic.ownerNotification.rawValue, sid: "s",
    json: #"{"app":"ferry","event":"right-ended","shown":"never"}"#)
  let words = try #require(OwnerNotification(told)).report(language: language, columns: 200).lines.joined()
  #expect(words.contains("ferry") && words.contains(StatusPhrase.never.text(in: language)), "\(words)")
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
