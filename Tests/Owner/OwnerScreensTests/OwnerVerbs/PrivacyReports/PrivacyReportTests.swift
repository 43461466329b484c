import Base
import LineProtocol
import Testing

@testable import OwnerScreens

private let now = UTCTime(iso8601: "2026-11-21T12:00:00Z")!

private func report(
  _ entries: [String], _ answers: [String] = [], gateway: String = "boat-7", since: UTCTime? = nil,
  at time: UTCTime = now, language: Language = .english
) -> PrivacyReport {
  PrivacyReport(
    gateway: gateway, since: since, now: time, entries: entries.reduce(into: LoggedRequests()) { $0.add($1) },
    answers: answers, logState: "good: all", isLogGood: true, language: language)
}

/// Returns a page without the headings that its cells have for a narrow window.
private func cells(_ page: String) -> String { page.replacing(#/ data-head="[^"]*"/#, with: "") }

private func opening(
  _ entry: Int, _ app: String, _ time: String, _ accuracy: String = "full", event: String = "disclosure"
) -> String {
  #"{"entry":\#(entry),"time":"\#(time)","app":"\#(app)","event":"\#(event)","accuracy":"\#(accuracy)","#
    + #""right":"once","transport":"unix"}"#
}

private func closing(
  _ entry: Int, _ app: String, _ time: String, of opening: Int, _ outcome: String, event: String = "outcome",
  fixes: Int? = nil
) -> String {
  #"{"entry":\#(entry),"time":"\#(time)","app":"\#(app)","event":"\#(event)","of":\#(opening),"outcome":"\#(outcome)""#
    + (fixes.map { #","fixes":\#($0)"# } ?? "") + "}"
}

private func answer(_ day: String, _ app: String, _ answer: String, _ count: Int, hour: Int? = nil) -> String {
  #"{"day":"\#(day)",\#(hour.map { "\"hour\":\($0)," } ?? "")"app":"\#(app)","answer":"\#(answer)","count":\#(count)}"#
}

/// A fix at four hours before the time of the report.
private let morning = opening(1, "ferry", "2026-11-21T08:00:00.000Z")

/// Several weeks of a boat.
private let busy: PrivacyReport = {
  var (entries, answers): ([String], [String]) = ([], [])
  for day in 1...20 {
    let date = "2026-11-\(day < 10 ? "0" : "")\(day)"
    for hour in 0..<(day % 4) {
      let time = "\(date)T\(10 + hour):15:00.000Z"
      entries.append(opening(entries.count + 1, "park-finder", time, day % 3 == 0 ? "reduced" : "full"))
      entries.append(closing(entries.count + 1, "park-finder", time, of: entries.count, "acknowledged"))
    }
    if day % 5 == 2 {
      let (entry, evening) = (entries.count + 1, "\(date)T18:00:00.000Z")
      entries.append(opening(entry, "logbook", "\(date)T06:00:00.000Z", event: "interval"))
      entries.append(closing(entry + 1, "logbook", evening, of: entry, "stopped", event: "end", fixes: 4000))
    }
    if day % 6 == 1 { answers.append(answer(date, "weather", "no-press", day)) }
  }
  answers.append(answer("2026-11-20", "park-finder", "denied", 2))
  entries.append(opening(entries.count + 1, "logbook", "2026-11-21T09:00:00.000Z", "reduced", event: "interval"))
  return report(entries, answers)
}()

@Test func `a report as text`() {
  let text = report(
    [
      opening(1, "ferry", "2026-11-21T07:00:00.000Z"),
      closing(2, "ferry", "2026-11-21T07:00:01.000Z", of: 1, "acknowledged"),
      opening(3, "ferry", "2026-11-21T08:00:00.000Z", "reduced"),
      opening(4, "log", "2026-11-21T09:00:00.000Z", event: "interval"),
      closing(5, "log", "2026-11-21T10:20:00.000Z", of: 4, "stopped", event: "end", fixes: 12),
    ], [answer("2026-11-21", "ferry", "no-press", 2)]
  ).text
  #expect(
    text == """
      Privacy report of boat-7
      2026-11-21T00:00:00.000Z to 2026-11-21T12:00:00.000Z, UTC.
      Log: good: all

      ferry
        Requests    4
        Given       1 × precise, 1 × approximate
        Over        2 × unix
        Outcome     1 × arrived, 1 × open
        Not given   2 × no press
        Last given  2026-11-21T08:00:00.000Z
      log
        Requests    1
        Given       1 × followed for a while (1 h 20 min)
        Last given  2026-11-21T10:20:00.000Z
      """)
}

@Test func `a use that began before the clock was set has no duration and does not affect the beginning of the report`()
  throws
{
  let early = (0..<8).map { opening(1 + $0, "ferry", "1970-01-01T00:0\($0):00.000Z", event: "interval") }
  let unknown = "8 × duration unknown, because the clock was not set)"
  #expect(report(early).text.contains("8 × followed for a while (\(unknown)\n"))
  let both = report(
    early + [
      closing(9, "ferry", "2026-11-21T07:00:00.000Z", of: 1, "stopped", event: "end", fixes: 12),
      opening(10, "ferry", "2026-11-21T09:00:00.000Z", event: "interval"),
      closing(11, "ferry", "2026-11-21T10:20:00.000Z", of: 10, "stopped", event: "end", fixes: 12),
    ])
  #expect(both.page.contains("9 × followed for a while (1 h 20 min, \(unknown)"))
  #expect(both.from == UTCTime(iso8601: "2026-11-21T07:00:00.000Z"))
}

@Test func `times whose difference exceeds the range of nanoseconds are handled`() throws {
  let far = (0..<4).map { opening(1 + $0, "ferry", "2026-01-01T00:00:00.000Z", event: "interval") }
  let later = try #require(UTCTime(iso8601: "2262-01-01T00:00:00.000Z"))
  let last = try #require(UTCTime(iso8601: "2262-04-11T23:47:00.000Z"))
  // A page also has a timeline, even for a day whose end cannot be represented.
  let page = report(far, [answer("2262-04-11", "ferry", "no-press", 1)], at: last).page
  #expect(page.contains("2262-04-11 · 1 × no press"))
  #expect(report(far, at: later).text.contains("4 × followed for a while (344788 d 0 h)"))
}

@Test func `a border notification counts neither as a request nor as a fix`() {
  let borders = report(
    ["region", "region", "sent"].enumerated().flatMap { index, outcome -> [String] in
      let (entry, hour) = (2 * index + 1, "2026-11-21T0\(7 + index):00")
      return [
        opening(entry, "ferry", "\(hour):00.000Z"), closing(entry + 1, "ferry", "\(hour):01.000Z", of: entry, outcome),
      ]
    })
  #expect(borders.apps.first?.requests == 1 && borders.apps.first?.fixes.count == 1)
  #expect(borders.text.contains("\n  Outcome     1 × sent\n"))
  #expect(cells(borders.page).contains("<td>1 × precise, 2 × notified of a region border</td>"))
  #expect(borders.page.contains("1 × notified of a region border · 2026-11-21 08:00"))
}

@Test func `a report says over which transports an app got its fixes, and when a right for a time ended`() {
  let fixes = ["file", "http", "file"].enumerated().map { number, transport in
    opening(number + 1, "family", "2026-11-21T07:0\(number):00.000Z").replacing("unix", with: transport)
  }
  // The log does not say whether the app has ever been armed, so the end has both names of the status.
  let end =
    #"{"entry":9,"time":"2026-11-21T09:00:00.000Z","app":"family","event":"right-end","right":"whenInUse","#
    + #""outcome":"notDetermined"}"#
  let family = report(fixes + [end])
  #expect(
    family.text.hasSuffix(
      """
      family
        Requests    3
        Given       3 × precise
        Over        2 × file, 1 × http
        Outcome     3 × open
        Until       2026-11-21T09:00:00.000Z the time is over: While using; now Ask next time / When I share
        Last given  2026-11-21T07:02:00.000Z
      """), "\(family.text)")
  for cell in ["2 × file, 1 × http", "the time is over: While using; now Ask next time / When I share"] {
    #expect(cells(family.page).contains("<td>\(cell)</td>"))
  }
}

@Test func `an outcome closes only a disclosure, and an end closes only an interval`() throws {
  // Only a changed log has such entries.
  let apps = report([
    opening(1, "a", "2026-11-20T10:00:00.000Z", event: "interval"),
    closing(2, "a", "2026-11-20T10:01:00.000Z", of: 1, "acknowledged"),
    opening(3, "b", "2026-11-20T10:02:00.000Z"),
    closing(4, "b", "2026-11-20T10:03:00.000Z", of: 3, "stopped", event: "end", fixes: 7),
  ]).apps
  #expect(apps.map(\.name) == ["a", "b"])
  #expect(apps.first?.intervals.map(\.end) == [nil] && apps.first?.fixes == [])
  #expect(apps.last?.fixes.map(\.outcome) == [nil] && apps.last?.intervals == [])
}

@Test func `a count that no gateway writes is left out`() {
  let counts = [Int.max / 1024 * 1024, -1, 5].map { answer("2026-11-20", "a", "no-press", $0) }
  #expect(report([], counts + counts).apps.map(\.requests) == [10])
}

@Test func `a report counts the requests of each app, in a page with a lane and a row for each app and no script`()
  throws
{
  try #require(busy.apps.map(\.name) == ["weather", "park-finder", "logbook"])
  let (weather, parks, logbook) = (busy.apps[0], busy.apps[1], busy.apps[2])
  #expect(parks.fixes.count == 30 && parks.fixes.count { $0.accuracy == .reduced } == 11 && parks.requests == 32)
  #expect(weather.answerCounts.map(\.count) == [40] && weather.last == nil && logbook.intervals.last?.end == nil)
  #expect(busy.from.iso8601 == "2026-11-01T00:00:00.000Z")
  let page = busy.page
  for (text, count) in [("class=\"lane\"", 3), ("<th scope=\"row\">", 3), ("class=\"use\"", 5 + 1)] {
    #expect(page.ranges(of: text).count == count, "\(text)")
  }
  #expect(page.contains("1 × followed for a while · 2026-11-02 06:00 – 2026-11-02 18:00 · 4000 × precise"))
  #expect(page.contains("2026-11-20 · 2 × denied") && page.contains("default-src 'none'"))
  for word in [
    "<script", "http:", "https:", "url(", "src=", "href=", "@import", "javascript:", "<img", "<link", "<iframe",
  ] {
    #expect(!page.lowercased().contains(word), "\(word)")
  }
  // Each opened element is closed.
  for name in ["svg", "table", "tr", "td", "th", "div", "p", "title", "text", "circle", "style", "body", "html"] {
    let opened = page.matches(of: try Regex("<\(name)[ >]")).count
    let closed = page.ranges(of: "</\(name)>").count
    #expect(opened == closed + (name == "circle" ? page.matches(of: #/ r="[45]"/>/#).count : 0), "\(name)")
  }
}

@Test func `a report has the notices of the features`() {
  var report = report([])
  report.notices = ["others see <this>"]
  #expect(report.text.contains("\nothers see <this>\n\n"))
  #expect(report.page.contains("<p class=\"dim\">others see &lt;this&gt;</p>\n"))
}

@Test func `an empty report is marked as empty`() {
  #expect(report([]).text.hasSuffix("No app has asked for the location."))
  #expect(report([]).page.contains("No app has asked for the location."))
}

@Test(arguments: ["0001-01-01T00:00:00Z", "1700-01-01T00:00:00Z", "2026-11-21T12:00:00Z", "9999-12-31T00:00:00Z"])
func `a report has a timeline for any start`(since: String) throws {
  let start = try #require(UTCTime(iso8601: since))
  #expect(report([morning], since: start).page.contains("<title>1 × precise · 2026-11-21 08:00 · open</title>"))
}

/// A gateway does not send such names, but the page must not depend on that.
@Test func `names cannot become markup`() {
  let evil = #"\u003c/title\u003e\u003cscript\u003ealert(1)\u003c/script\u003e\u0022 onload=\u0027x\u0027 \u0026"#
  let page = report(
    [opening(1, evil, "2026-11-21T07:00:00.000Z"), closing(2, evil, "2026-11-21T07:00:01.000Z", of: 1, evil)],
    [answer("2026-11-21", evil, evil, 1)], gateway: "<b>\"'&\u{1}"
  ).page
  #expect(!page.contains("<script") && !page.contains("<b>") && !page.contains("onload='"))
  #expect(page.contains("&lt;b&gt;&quot;&#39;&amp;\u{FFFD}"))
  #expect(page.contains("&lt;script&gt;"))
}

@Test(arguments: [
  (
    #"{"entry":1,"time":"t","event":"disclosure","app":"a","accuracy":"full","right":"once","transport":"unix"}"#,
    "1,t,disclosure,a,full,once,unix,,,,,,,,,,,"
  ),
  (
    #"{"entry":2,"time":"t","event":"end","app":"a","of":1,"outcome":"stopped","fixes":3}"#,
    "2,t,end,a,,,,,,1,stopped,3,,,,,,"
  ),
  (
    #"{"entry":3,"time":"t","event":"interval","app":"a,\"b\"","accuracy":"full","right":"always","transport":"unix"}"#,
    #"3,t,interval,"a,""b""",full,always,unix,,,,,,,,,,,"#
  ),
  (#"{"entry":3,"time":"t","event":"use","app":"\"b\""}"#, #"3,t,use,"""b""",,,,,,,,,,,,,,"#),
  (#"{"entry":3,"time":"t","event":"use","app":"!b"}"#, "3,t,use,!b,,,,,,,,,,,,,,"),
  (#"{"entry":3,"time":"t","event":"use","app":"a\rb"}"#, "3,t,use,\"a\rb\",,,,,,,,,,,,,,"),
  (#"{"entry":3,"time":"t","event":"use","app":"a\nb"}"#, "3,t,use,\"a\nb\",,,,,,,,,,,,,,"),
  (
    #"{"entry":4,"time":"t","event":"answer","app":"a","kind":"confirm","choice":"yes","says":"-1, @SUM","language":"de","#
      + #""by":"socket","user":7}"#,
    "4,t,answer,a,,,,,,,,,confirm,yes,\"“-1, @SUM”\",de,socket,7"
  ),
  (
    #"{"entry":5,"time":"t","event":"answer","app":"a","kind":"confirm","choice":"yes","by":"button"}"#,
    "5,t,answer,a,,,,,,,,,confirm,yes,,,button,"
  ),
])
func `an entry is formatted as CSV`(json: String, csv: String) {
  #expect(EntryMessage(json: json)?.csv == csv && EntryMessage.csvHeader.split(separator: ",").count == 18)
}

@Test func `a report lists each answer with the purpose, the language and the way, and no empty column`() {
  let start = #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"answer","kind":"authorize","#
  let answers = [
    start + #""accuracy":"reduced","choice":"while-using","says":"<b>","language":"de","by":"socket","user":7}"#,
    start + #""choice":"no","by":"button"}"#,
  ]
  let answered = report(answers)
  #expect(
    answered.text.contains(
      """
        Answered    2026-11-21T07:31:34.200Z Share this location with ferry? While using, approximate (user 7, de, “<b>”)
        Answered    2026-11-21T07:31:34.200Z Share this location with ferry? Don’t allow (button)
      """))
  #expect(
    cells(answered.page).contains("<td>While using, approximate</td><td>user 7</td><td>de</td><td>&lt;b&gt;</td>"))
  #expect(report(answers, language: .german).text.contains("de, „<b>“"))
  let button = report([answers[1]]).page
  #expect(button.contains("<th scope=\"col\">Answer</th><th scope=\"col\">By</th></tr>"))
  #expect(cells(button).contains("<td>Don’t allow</td><td>button</td></tr>"))
}

@Test func `the report of a long log has exact counts and durations, and its memory and page do not grow with the log`()
  throws
{
  let start = try #require(UTCTime(iso8601: "2026-01-01T00:00:00Z")).nanosecondsSince1970
  func time(_ minute: Int) -> String {
    UTCTime(nanosecondsSince1970: start + Int64(minute) * 60_000_000_000).iso8601
  }
  var requests = LoggedRequests()
  for number in 0..<20_000 {
    let minute = number * 20
    let accuracy = number.isMultiple(of: 4) ? "reduced" : "full"
    requests.add(opening(4 * number + 1, "ferry", time(minute), accuracy))
    let outcome = number.isMultiple(of: 10) ? "region" : number.isMultiple(of: 5) ? "expired" : "acknowledged"
    requests.add(closing(4 * number + 2, "ferry", time(minute), of: 4 * number + 1, outcome))
    requests.add(opening(4 * number + 3, "ferry", time(minute), event: "interval"))
    requests.add(
      closing(4 * number + 4, "ferry", time(minute + 3), of: 4 * number + 3, "stopped", event: "end", fixes: 2))
  }
  let report = PrivacyReport(
    gateway: "boat-7", since: nil, now: now, entries: requests, answers: [], logState: "good: all", isLogGood: true)
  let app = try #require(report.apps.first)
  #expect(app.fixes.count < 2000 && app.borders.count < 2000 && app.intervals.count < 2000)
  #expect(app.fixes == app.fixes.sorted { $0.time < $1.time } && app.fixes.allSatisfy { $0.time <= $0.last })
  #expect(app.intervals.compactMap(\.fixes).reduce(0, +) == 40_000)
  #expect(
    report.text.hasSuffix(
      """
      ferry
        Requests    38000
        Given       14000 × precise, 4000 × approximate, 2000 × notified of a region border, 20000 × followed for a while (41 d 16 h)
        Over        18000 × unix
        Outcome     16000 × arrived, 2000 × expired
        Last given  \(time(19_999 * 20 + 3))
      """), "\(report.text)")
  #expect(report.page.utf8.count < 500_000 && report.page.contains("20 × followed for a while · "))
  #expect(report.page.contains(" × notified of a region border · 2026-"))
}

@Test func `the timeline begins at the first entry, and requests without a fix cover the part of their day`() {
  let page = report([morning], [answer("2026-11-21", "ferry", "no-press", 3)]).page
  // The axis has 872 units for the four hours from the first entry to the time of the report.
  #expect(page.contains(#"<circle class="precise" cx="44" "#))
  #expect(page.contains(#"<rect class="no" x="44" y="27" width="871" height="14"><title>2026-11-21 · 3 × no press"#))
  #expect(page.matches(of: />11-21 ([0-9:]+)<\/text>/).map(\.1) == ["09:00", "10:00", "11:00", "12:00"])
  // The page names only the accuracies that the app received.
  #expect(
    cells(report([opening(1, "a", "2026-11-21T08:00:00.000Z", "place")]).page).contains("<td>1 × place name</td>"))
}

@Test(arguments: [1, 10, 60, 180, 720] + [1, 2, 7, 14, 30, 60, 180, 365, 3650].map { $0 * 1440 })
func `the times on the axis are at most eleven, and their distance is round`(minutes: Int) throws {
  func time(_ label: Substring) -> UTCTime? {
    label.count == 10
      ? UTCTime(iso8601: "\(label)T00:00:00Z") : UTCTime(iso8601: "2026-\(label.replacing(" ", with: "T")):00Z")
  }
  let step = Int64(minutes) * 60_000_000_000
  // The longest axis has a hundred years.
  let length = min(11 * step - 60_000_000_000, 36_500 * 86_400_000_000_000)
  let since = UTCTime(nanosecondsSince1970: now.nanosecondsSince1970 - length)
  let times = try report([morning], since: since).page.matches(of: /y="14">([^<]+)<\/text>/).map {
    try #require(time($0.1)).nanosecondsSince1970
  }
  #expect((9...11).contains(times.count) && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == step })
}

@Test func `a timeline of less than three days shows the hours of requests without a fix, and a longer one their days`()
{
  let answers = [
    answer("2026-11-21", "ferry", "no-press", 3, hour: 9), answer("2026-11-21", "ferry", "denied", 1, hour: 9),
    answer("2026-11-21", "ferry", "no-press", 2, hour: 11),
  ]
  let page = report([morning], answers).page
  let title = "<title>2026-11-21 9:00–10:00 · 3 × no press, 1 × denied"
  #expect(page.contains(#"<rect class="no" x="262" y="27" width="217" height="14">\#(title)"#), "\(page)")
  #expect(page.contains(#"<rect class="no" x="698" y="34" width="217" height="7"><title>2026-11-21 11:00–12:00"#))
  #expect(page.contains("per hour") && !page.contains("per day"))

  let long = report([opening(1, "ferry", "2026-11-18T08:00:00.000Z")], answers).page
  #expect(long.contains("<title>2026-11-21 · 5 × no press, 1 × denied"))
  #expect(long.contains("per day") && !long.contains("per hour"))
}

@Test(arguments: [
  (answer("2026-11-21", "ferry", "no-press", 3, hour: 7), #"width="173.4" height="14"><title>2026-11-21 7:00"#),
  (answer("2026-11-20", "ferry", "no-press", 3), #"width="580.3" height="14"><title>2026-11-20"#),
])
func `the timeline begins with the hour of an earlier request without a fix, or with its day if it has no hour`(
  earlier: String, rectangle: String
) {
  let page = report([morning], [earlier, answer("2026-11-21", "a", "denied", 1)]).page
  #expect(page.contains(#"<rect class="no" x="44" y="27" "# + rectangle), "\(page)")
}

@Test func `a report is in its language`() {
  let report = report([morning], [answer("2026-11-21", "ferry", "no-press", 2)], language: .japanese)
  for text in ["<html lang=\"ja\">", "boat-7 への位置の要求", "1 × 正確 · 2026-11-21 08:00 · 未定"] {
    #expect(report.page.contains(text), "\(text)")
  }
  #expect([report.page, report.text].allSatisfy { $0.contains("2 × ボタンが押されなかった") })
}
