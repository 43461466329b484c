import Base
import Foundation
@testable import OwnerScreens
import Testing

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Frames")

@Test(arguments: [
  ("80x24", 24, 80, Sample.unicode), ("40x12", 12, 40, Sample.unicode), ("132x50", 50, 132, Sample.unicode),
  ("18x3", 3, 18, Sample.unicode), ("80x24-plain", 24, 80, Sample.plain),
])
func `a frame equals the stored one`(name: String, rows: Int, columns: Int, kind: TerminalKind) throws {
  for (state, overview) in [("boat", Sample.boat), ("asking", Sample.asking)] {
    var session = Sample.session(overview, rows, columns, kind)
    let file = folder.appendingPathComponent("\(name)-\(state).txt")
    let lines = try session.look().lines
    let expected = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines == expected.dropLast().map(String.init), "\(file.lastPathComponent)\n\(lines.joined(separator: "\n"))")
  }
}

@Test func `an absent gateway is reported with the time of its latest answer, and none of its state is shown`() throws {
  var session = Sample.session(Sample.boat)
  for seconds in [5, 6] { _ = session.handle(.lost, at: Sample.now + .seconds(seconds)) }
  let lines = try session.look(7).lines
  #expect(lines[1] == "The gateway has not answered since 07:31:34 UTC." && lines[2..<23].allSatisfy { $0.isEmpty })
  _ = session.handle(.updated(Sample.boat), at: Sample.now)
  #expect(try session.look().lines.contains { $0.contains("ferry") })
}

@Test func `every size can be drawn in every language with all sections open, within its columns`() throws {
  for language in Language.allCases {
    for rows in [1, 2, 3, 5, 7, 19, 20, 24, 60] {
      for columns in [1, 5, 19, 20, 59, 60, 80, 200] {
        for part in 0..<Part.allCases.count {
          var session = Sample.session(Sample.asking, rows, columns, language: language)
          for _ in 0..<part { _ = session.handle(.key(.tab), at: Sample.now) }
          for key in [nil, "j", "l", "?"] as [Unicode.Scalar?] {
            if let key { _ = session.handle(.key(.character(key)), at: Sample.now) }
            let lines = try session.look().lines
            #expect(lines.allSatisfy { Columns.width(of: $0) <= columns }, "\(language) \(rows) \(columns)")
          }
        }
      }
    }
  }
}

@Test func `D6: the row of an app says until when it is allowed, and the notices say where the latest fix went`() throws
{
  var overview = Sample.boat
  overview.apps[0].statusWithEnd = "While using until 14:30"
  overview.lastPress = "gave ferry one fix → points.gpx"
  for kind in [Sample.unicode, Sample.plain] {
    var session = Sample.session(overview, 24, 100, kind)
    let lines = try session.look().lines
    #expect(lines.contains { $0.contains("ferry") && $0.contains("While using until 14:30") }, "\(lines)")
    #expect(lines.contains { $0.contains("gave ferry one fix") && $0.hasSuffix("points.gpx") }, "\(lines)")
  }
}

/// Draws the sky. A satellite has its system, its number, its elevation, its azimuth and its strength.
private func sky(
  radius: Int, columns: Int? = nil, _ satellites: [(String, Int, Int, Int, Int)], _ ornaments: Ornaments = Ornaments()
) -> Frame {
  var frame = Frame(size: ScreenSize(rows: 2 * radius + 1, columns: columns ?? 4 * radius + 1), isASCII: false)
  let drawn = satellites.map {
    Overview.Satellite(
      system: Character($0.0), number: $0.1, elevation: $0.2, azimuth: $0.3, strength: $0.4, isUsed: true)
  }
  SkyPlot(radius: radius).draw(drawn, into: &frame, row: 0, ornaments)
  return frame
}

@Test func `the zenith is in the middle, north at the top, and a satellite at a direction's name is beside it`() {
  let frame = sky(
    radius: 4,
    [
      ("G", 1, 90, 0, 40), ("R", 1, 0, 0, 40), ("E", 1, 0, 90, 40), ("C", 1, 0, 180, 40), ("J", 1, 45, 270, 40),
      ("I", 1, -3, 200, 40),
    ])
  #expect(frame.cell(4, 8).text == "G" && frame.cell(4, 4).text == "J")
  // The name of the direction, and the satellite beside it.
  #expect(frame.cell(0, 8).text == "N" && frame.cell(0, 6).text == "R")
  #expect(frame.cell(4, 15).text + frame.cell(4, 16).text == "90" && frame.cell(4, 14).text == "E")
  #expect(frame.lines[8].contains("C180") && !frame.lines.joined().contains("I"))
}

@Test(arguments: [4, 60]) func `the names of the directions are at the edge of a plot of any size`(radius: Int) {
  let frame = sky(radius: radius, [])
  func text(_ row: Int, _ column: Int, _ count: Int) -> String {
    (column..<column + count).map { frame.cell(row, $0).text }.joined()
  }
  #expect(text(0, 2 * radius, 1) + text(radius, 4 * radius - 1, 2) == "N90")
  #expect(text(2 * radius, 2 * radius - 1, 3) + text(radius, 0, 3) == "180270")
}

@Test func `the labels of satellites at the same place do not cover each other`() {
  let frame = sky(radius: 9, columns: 40, (1...12).map { ("G", $0, 60, 40, $0) }, .ascii)
  let names = frame.lines.joined(separator: "\n").matches(of: /G\d+|G/).map { String($0.0) }
  let numbered = names.filter { $0.count > 1 }
  #expect(numbered.count { $0.count == 3 } >= 5 && Set(numbered).count == numbered.count)
  #expect(names.contains("G12"), "the strongest satellite keeps its place")
}

@Test func `satellites at the same place have eleven places, and more satellites are not shown`() {
  let frame = sky(radius: 5, (1...12).map { ("G", $0, 90, 0, $0) })
  let columns = (0..<11).map { row in (0..<21).filter { frame.cell(row, $0).text == "G" } }
  #expect(columns[4...6] == [[8, 10, 12], [6, 8, 10, 12, 14], [8, 10, 12]] && columns.joined().count == 11)
}

@Test func `a screen has 1 to 300 rows and 1 to 500 columns, and 24 and 80 if the terminal reports no size`() {
  let sizes = [(0, 0), (Int.min, 1), (300, 500), (301, 501)].map { ScreenSize(rows: $0.0, columns: $0.1) }
  #expect(sizes.map { [$0.rows, $0.columns] } == [[1, 1], [1, 1], [300, 500], [300, 500]])
  #expect(TopSession(language: .english, kind: Sample.unicode).size == ScreenSize(rows: 24, columns: 80))
}

@Test func `the log gets the rows that apps and connections do not need, and hidden sections are named`() throws {
  var session = Sample.session(Sample.boat, 50, 132)
  #expect(try session.look().lines.contains { $0.hasSuffix("Log  1-6/6") })
  session = Sample.session(Sample.boat, 12, 80)
  #expect(try session.look().lines.last?.hasSuffix("+ Connections, Sky") == true)
}

@Test(arguments: Language.allCases)
func `at 60 columns and 20 rows each section is on the screen, or its whole name is`(language: Language) throws {
  for overview in [Sample.boat, Sample.asking] {
    var session = Sample.session(overview, 20, 60, language: language)
    let lines = try session.look().lines
    for part in [Part.apps, .sessions, .log] {
      #expect(lines.contains { $0.contains(part.title(in: language)) }, "\(lines)")
    }
    let showsSky = lines.contains { $0.contains("C/N0 (dB-Hz)") }
    #expect(showsSky || lines.last?.contains(Part.sky.title(in: language)) == true, "\(lines)")
  }
}

@Test(arguments: [(60, true, true), (59, false, true), (30, false, true), (29, false, false)])
func `the title has the time from 30 columns, and the date from 60 columns`(
  columns: Int, hasDate: Bool, hasTime: Bool
) throws {
  var session = Sample.session(Sample.boat, 24, columns)
  let title = try session.look().lines[0]
  #expect(title.hasSuffix(" 2026-11-21 07:31:34 UTC") == hasDate, "\(title)")
  #expect(title.contains(" 07:31:34") == hasTime, "\(title)")
}

@Test(
  arguments: [
    (20, 60, [], 2), (19, 60, [.sessions, .log, .sky], 1), (20, 59, [.sessions, .log, .sky], 1),
    (10, 59, [.sessions, .log, .sky], 1), (9, 59, [.sessions, .log, .sky], 0),
  ] as [(Int, Int, [Part], Int)])
func `a screen of 20 rows and 60 columns has all sections, and one of 10 rows has a notice`(
  rows: Int, columns: Int, hidden: [Part], notices: Int
) {
  let layout = TopLayout(ScreenSize(rows: rows, columns: columns), focus: .apps, question: 0, needs: [:])
  #expect(layout.hidden == hidden && layout.notice.count == notices)
}

@Test(arguments: [(Part.apps, 40, 3, [4, 32]), (.apps, 9, 4, [6]), (.log, 40, 3, [36]), (.sessions, 40, 100, [36])])
func `on a narrow screen the log gets the rows that the selected list does not need`(
  focus: Part, rows: Int, count: Int, heights: [Int]
) {
  let layout = TopLayout(ScreenSize(rows: rows, columns: 40), focus: focus, question: 0, needs: [focus: count])
  #expect(layout.lists.map(\.rows.count) == heights)
  #expect(layout.lists.map(\.part) == (heights.count == 2 ? [focus, .log] : [focus]))
}

@Test func `satellites have their numbers in a plot with a radius of 6 rows`() {
  for (radius, label) in [(5, "G"), (6, "G07")] {
    let text = sky(radius: radius, [("G", 7, 60, 40, 40)]).lines.joined(separator: "\n")
    #expect(text.matches(of: /G\d*/).map { String($0.0) } == [label])
  }
}

@Test func `a signal strength of more than two digits is limited, and fills its bar`() {
  var frame = Frame(size: ScreenSize(rows: 2, columns: 30), isASCII: false)
  let satellites = [Int.min, .max].enumerated().map {
    Overview.Satellite(system: "G", number: $0.offset, elevation: nil, azimuth: nil, strength: $0.element, isUsed: true)
  }
  SignalTable(rows: 2, columns: 30).draw(satellites, into: &frame, row: 0, column: 0, .ascii)
  #expect(frame.lines == ["G00         0", "G01  ##### 99"])
}

@Test(arguments: [(4, 30, false), (5, 30, true), (5, 12, true), (5, 11, false)])
func `a table of satellites has a heading if it has five rows and room for the words`(
  rows: Int, columns: Int, hasHeading: Bool
) {
  var frame = Frame(size: ScreenSize(rows: 6, columns: columns), isASCII: false)
  let satellites = (1...9).map {
    Overview.Satellite(system: "G", number: $0, elevation: nil, azimuth: nil, strength: 40, isUsed: true)
  }
  SignalTable(rows: rows, columns: columns).draw(satellites, into: &frame, row: 0, column: 0, .ascii)
  #expect(frame.lines[0].hasPrefix("C/N0 (dB-Hz)") == hasHeading)
  #expect(frame.lines.prefix(rows).allSatisfy { !$0.isEmpty } && frame.lines[rows...].allSatisfy(\.isEmpty))
}

@Test func `the lists scroll through a hundred apps and a thousand sessions`() throws {
  var overview = Sample.boat
  overview.apps = (0..<100).map { Sample.app("app-\($0)", "Never") }
  overview.sessions = (0..<1000).map { Sample.session($0, "app-\($0 % 100)") }
  overview.sessionCount = 1000
  var session = Sample.session(overview)
  _ = try session.look()
  for _ in 0..<60 { _ = session.handle(.key(.down), at: Sample.now) }
  var lines = try session.look().lines
  #expect(lines.contains { $0.hasPrefix("> app-59 ") } && lines.contains { $0.hasSuffix("/100") })
  _ = session.handle(.key(.tab), at: Sample.now)
  _ = try session.look()
  _ = session.handle(.key(.end), at: Sample.now)
  lines = try session.look().lines
  #expect(lines.contains { $0.hasSuffix("-1000/1000") })
  _ = session.handle(.key(.pageUp), at: Sample.now)
  #expect(try session.look().lines.contains { $0.contains("995/1000") })
  // The selected app stays visible even if the list has only one row.
  #expect(lines.contains { $0.hasPrefix("> app-59 ") })
}

@Test func `control characters of apps and the gateway never reach the terminal`() throws {
  let hostile = "a\u{1B}[2J\u{9B}31m\u{7}\r\n\u{202E}\u{200B}\u{FEFF}e\u{301}\u{E000}❤\u{FE0F}b"
  var overview = Sample.asking
  (overview.gateway, overview.board, overview.indicator, overview.receiver) = (hostile, hostile, hostile, hostile)
  overview.faults = [hostile]
  overview.apps = [Sample.app(hostile, hostile, now: hostile)]
  overview.sessions = [Sample.session(1, hostile, now: hostile)]
  overview.question?.question = hostile
  overview.question?.says = hostile
  overview.entries = [LogView.Row(time: hostile, entry: hostile, app: hostile, what: hostile)]
  for kind in [Sample.unicode, Sample.plain] {
    var session = Sample.session(overview, 24, 80, kind)
    var terminal = EmulatedTerminal(ScreenSize(rows: 24, columns: 80))
    let frame = try session.look()
    terminal.show(frame.bytes(after: nil, kind))
    #expect(terminal.faults.isEmpty && terminal.lines == frame.lines)
    #expect(frame.lines.joined().unicodeScalars.allSatisfy { $0.isPlain })
    for outcome in [ActionOutcome.message(hostile), .pager([hostile])] {
      _ = session.handle(.done(outcome), at: Sample.now)
      terminal.show(try session.look().bytes(after: frame, kind))
      #expect(terminal.faults.isEmpty)
    }
  }
}

@Test(arguments: [
  (["LANG": "de_DE.UTF-8", "TERM": "xterm-256color"], [false, true, true]),
  (["LANG": "de_DE.utf8@euro", "TERM": "vt220"], [false, true, false]),
  (["LANG": "en_US", "TERM": "xterm"], [true, true, true]), (["TERM": "linux"], [true, true, true]),
  (["LC_ALL": "C", "LANG": "de_DE.UTF-8", "TERM": "xterm"], [true, true, true]),
  (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "TERM": "linux", "NO_COLOR": "1"], [false, true, false]),
  (["LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": ""], [false, true, true]),
  (["LANG": "C.UTF-8", "TERM": "vt100"], [true, true, false]),
  (["LANG": "C.UTF-8", "TERM": "dumb"], [true, false, false]), (["LANG": "C.UTF-8"], [true, false, false]),
])
func `the capabilities of a terminal depend on its environment`(environment: [String: String], expected: [Bool]) {
  let kind = TerminalKind { environment[$0] }
  #expect([kind.isASCII, kind.hasAttributes, kind.hasColours] == expected)
}

@Test func `an ASCII terminal uses English`() {
  #expect(TopSession(language: .japanese, kind: Sample.plain).language == .english)
  #expect(TopSession(language: .japanese, kind: Sample.unicode).language == .japanese)
}
