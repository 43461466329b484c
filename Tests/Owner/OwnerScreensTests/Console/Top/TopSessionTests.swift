import Base
import LineProtocol
@testable import OwnerScreens
import Testing

private func later(_ seconds: Double) -> MonotonicInstant { Sample.now + .seconds(seconds) }

/// Returns the action with a name, or the action that performs a typed command.
private func action(_ text: String) throws -> OwnerAction {
  switch text {
  case "press": .press
  case "hold": .hold
  default: .verb(try OwnerVerb(parsing: text))
  }
}

/// A session whose first frame is on the terminal.
private func shown(_ overview: Overview, _ rows: Int = 24, _ columns: Int = 80) throws -> TopSession {
  var session = Sample.session(overview, rows, columns)
  _ = try session.look()
  return session
}

extension TopSession {
  fileprivate mutating func press(_ keys: String, after seconds: Double = 0) throws -> [Effect] {
    var effects: [Effect] = []
    for key in keys.unicodeScalars {
      effects += handle(.key(.character(key)), at: later(seconds))
      _ = try look(seconds)
    }
    return effects
  }
}

@Test(arguments: [
  ("jaey", ["allow ferry always for 1h"]), ("jweeey", ["allow ferry while-using for 8h"]),
  ("jaeeeeeeey", ["allow ferry always"]), ("jde", []), ("jay", ["allow ferry always"]),
  ("jwY", ["allow ferry while-using"]), ("jjdy", ["deny logbook"]), ("jjry", ["reset logbook"]), ("kdn", []),
  ("kdx", []), ("kf", ["accuracy weather reduced"]), ("jjf", ["accuracy logbook place"]), ("ju", ["use ferry"]),
  ("ly", ["lock"]), ("l ", []), (" ", ["press"]), ("h", ["hold"]), ("jny", ["key add ferry"]),
  ("jty", ["key add ferry token"]), ("jvy", ["key revoke ferry"]), ("jv ", []), ("n", []), ("cy", ["reload"]),
  ("c", []), ("g", ["regions"]), ("p", ["page"]), ("0", []), ("a", []), ("jjjjjjkku", ["use logbook"]), ("?d", []),
  ("y", []), ("1", []),
])
func `keys perform owner verbs, and permanent changes need a confirmation`(keys: String, actions: [String]) throws {
  var session = try shown(Sample.boat)
  #expect(try session.press(keys) == actions.map { .perform(try action($0)) })
}

@Test func `a confirmation counts only when its question is on the terminal`() throws {
  var session = try shown(Sample.boat)
  #expect(session.handle(.key(.character("l")), at: Sample.now).isEmpty)
  #expect(session.handle(.key(.character("y")), at: Sample.now).isEmpty)
  #expect(try session.look().lines.last == "Stop all sharing until the button is held? y/n")
  #expect(try session.handle(.key(.character("y")), at: Sample.now) == [.perform(action("lock"))])
}

@Test func `a key acts on the selected app even if its position changes, and on no app after it is removed`() throws {
  var session = try shown(Sample.boat)
  _ = try session.press("jj")
  var overview = Sample.boat
  overview.apps.insert(Sample.app("aardvark", "Never"), at: 0)
  _ = session.handle(.updated(overview), at: Sample.now)
  #expect(try session.press("u") == [.perform(action("use logbook"))])
  _ = session.handle(.done(.message("logbook: in use")), at: Sample.now)
  overview.apps.removeAll { $0.app == "logbook" }
  _ = session.handle(.updated(overview), at: Sample.now)
  #expect(try session.press("u").isEmpty && session.look().lines.last == "Choose an app first, with j and k.")
}

@Test func `apps that are not shown cannot be changed`() throws {
  var session = try shown(Sample.boat, 12, 40)
  _ = try session.press("j")
  _ = session.handle(.key(.tab), at: Sample.now)
  _ = try session.look()
  #expect(try session.press("u").isEmpty)
  // The key shows the apps instead.
  #expect(try session.press("u") == [.perform(action("use ferry"))])
}

@Test func `a question is answered by number, one second after it is displayed`() throws {
  var session = Sample.session(Sample.asking)
  #expect(session.handle(.key(.character("2")), at: Sample.now).isEmpty)
  // The line is slow: only frames that it has accepted count as displayed.
  _ = session.frame(at: try Sample.reading(0))
  #expect(session.handle(.key(.character("2")), at: later(5)).isEmpty)
  _ = session.handle(.drawn, at: later(5))
  #expect(session.handle(.key(.character("2")), at: later(5.9)).isEmpty)
  #expect(try session.look(5.9).lines.last == "This question is new: read it first.")
  #expect(session.handle(.key(.character("4")), at: later(6)).isEmpty)
  #expect(try session.handle(.key(.character("2")), at: later(6)) == [.perform(action("answer 3 while-using full"))])
}

@Test func `a question that replaces another one must be displayed for a second again`() throws {
  var session = try shown(Sample.asking)
  var overview = Sample.asking
  overview.question?.prompt = 4
  _ = session.handle(.updated(overview), at: later(10))
  // The previous question is still on the terminal.
  #expect(try session.handle(.key(.character("1")), at: later(10)).isEmpty && !session.look(10).lines.isEmpty)
  #expect(session.handle(.key(.character("1")), at: later(10.5)).isEmpty)
  #expect(try session.handle(.key(.character("1")), at: later(11)) == [.perform(action("answer 4 once full"))])
}

@Test func `an answer sets the current accuracy of the app, or the selected and displayed accuracy`() throws {
  var overview = Sample.asking
  overview.question?.app = "logbook"
  for (presses, accuracy, text) in [
    ("", "reduced", "approximate"), ("0", "place", "place name"), ("00", "full", "precise"),
    ("000", "reduced", "approximate"),
  ] {
    var session = Sample.session(overview)
    #expect(try session.look().lines.contains { $0.hasSuffix("0 Accuracy: approximate") })
    #expect(try session.press(presses, after: 2).isEmpty)
    #expect(try session.look(2).lines.contains { $0.hasSuffix("0 Accuracy: \(text)") })
    #expect(
      try session.handle(.key(.character("2")), at: later(2)) == [.perform(action("answer 3 while-using \(accuracy)"))])
  }
  // The answer no has no accuracy, and a selection counts only when it is displayed.
  var session = try shown(overview)
  #expect(session.handle(.key(.character("0")), at: later(2)).isEmpty)
  #expect(session.handle(.key(.character("3")), at: later(2)).isEmpty)
  _ = try session.look(2)
  #expect(try session.handle(.key(.character("3")), at: later(2)) == [.perform(action("answer 3 no"))])
}

@Test func `the selected accuracy is only for its question, and other questions offer none`() throws {
  var session = try shown(Sample.asking)
  #expect(try session.press("0", after: 2).isEmpty)
  var overview = Sample.asking
  overview.question?.prompt = 4
  _ = session.handle(.updated(overview), at: later(3))
  #expect(try session.look(3).lines.contains { $0.hasSuffix("0 Accuracy: precise") })
  overview.question?.isAboutAccuracy = false
  overview.question?.prompt = 5
  _ = session.handle(.updated(overview), at: later(6))
  #expect(try !session.look(6).lines.joined().contains("0 Accuracy"))
  #expect(try session.press("01", after: 8) == [.perform(action("answer 5 once"))])
}

@Test(arguments: [(24, 80, 1), (5, 30, 2)])
func `the pager stays open until a key, page by page, and blocks other actions`(
  rows: Int, columns: Int, pages: Int
) throws {
  var session = try shown(Sample.boat, rows, columns)
  let secret = String(repeating: "k", count: 43)
  _ = session.handle(.done(.pager(["The key of ferry, shown only now:", secret])), at: Sample.now)
  var text = ""
  for page in 1...pages {
    let lines = try session.look(60).lines
    text += lines[2..<(rows - 1)].joined()
    #expect(lines.last == "Press any key to continue." && !lines.contains { $0.hasPrefix("> ") }, "\(page)")
    #expect(session.handle(.key(.character("l")), at: later(60)).isEmpty)
  }
  #expect(text.contains(secret))
  #expect(try session.look(60).lines.contains { $0.hasPrefix("> ") } && session.pager == nil)
}

@Test func `a question that is covered or not completely visible cannot be answered`() throws {
  for (rows, columns) in [(4, 80), (6, 20), (24, 3)] {
    var session = try shown(Sample.asking, rows, columns)
    #expect(try session.press("1", after: 5).isEmpty)
  }
  var session = try shown(Sample.asking)
  #expect(try session.press("?x1", after: 5).isEmpty && session.press("1", after: 7) != [])
}

@Test func `only one action runs at a time, and its result is shown for some seconds`() throws {
  var session = try shown(Sample.boat)
  #expect(try session.press("  ") == [.perform(.press)])
  _ = session.handle(.done(.message("Button: served")), at: later(1))
  #expect(try session.look(6.9).lines.last == "Button: served")
  #expect(try session.look(7).lines.last?.hasPrefix("? help") == true)
  #expect(try session.press(" ", after: 9) == [.perform(.press)])
}

@Test func `some keys control the terminal, and while the gateway does not answer, no action is sent`() throws {
  for (key, effects) in [
    (Key.interrupt, [TopSession.Effect.end]), (.endOfInput, [.end]), (.character("q"), [.end]), (.redraw, [.redraw]),
    (.suspend, [.suspend]), (.position(row: 3, column: 4), []), (.unknown, []), (.enter, []),
  ] {
    var session = Sample.session(Sample.boat)
    #expect(session.handle(.key(key), at: Sample.now) == effects)
  }
  var session = Sample.session(Sample.boat)
  _ = try session.press("j")
  _ = session.handle(.lost, at: Sample.now)
  #expect(try session.press("ly hu").isEmpty)
}

@Test func `the help lists every key, on as many pages as necessary`() throws {
  for (rows, columns) in [(24, 80), (12, 40), (5, 30)] {
    var session = Sample.session(Sample.boat, rows, columns)
    _ = session.handle(.key(.character("?")), at: Sample.now)
    var pages: [String] = []
    while session.pager != nil, pages.count < 40 {
      pages += try session.look().lines[2...].dropLast()
      _ = session.handle(.key(.character(" ")), at: Sample.now)
    }
    for key in ["j k", "Tab", "n t", "1-9", "Space", "Ctrl-L"] + "awdrfuv0gcplhq".map(String.init) {
      #expect(pages.contains { $0.hasPrefix("\(key) ") }, "\(key) \(rows)")
    }
  }
}

@Test(arguments: [
  ("\u{1B}[5~", [Key.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1A}", [.suspend]),
  ("\u{1B}[24;80R", [.position(row: 24, column: 80)]), ("\u{1B}[R", [.unknown]), ("\u{1B}[1;2;3R", [.unknown]),
  ("\u{1B}[99999999999999999999;1R", [.unknown]), ("\u{1B}OA\u{1B}[B", [.up, .down]),
  ("\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.end, .home, .end]), ("\u{1B}[3;5~", [.delete]), ("\u{1B}[1;5A", [.up]),
])
func `page keys and the terminal's cursor report are decoded`(bytes: String, keys: [Key]) {
  var decoder = KeyDecoder()
  #expect(bytes.utf8.flatMap { decoder.decode($0) } == keys)
}

@Test func `the key Escape and a printable character are one unknown key, and a control character is a key`() {
  for beginning in ["\u{1B}", "\u{1B}O"] as [String] {
    for byte in 0x20...0x7E as ClosedRange<UInt8> where !"[OABCDHF".utf8.contains(byte) {
      var decoder = KeyDecoder()
      #expect((beginning.utf8 + [byte]).flatMap { decoder.decode($0) } == [.unknown], "\(byte)")
    }
    var decoder = KeyDecoder()
    #expect((beginning.utf8 + [0x0D]).flatMap { decoder.decode($0) } == [.enter])
  }
}

/// The limits of the bytes of UTF-8 (RFC 3629 §4).
@Test(
  arguments: [
    ([0xC2, 0xA1], [.character("¡")]), ([0xDF, 0xBF], [.character("\u{7FF}")]), ([0xC1, 0xA1], [.unknown, .unknown]),
    ([0xE0, 0xA0, 0x80], [.character("\u{800}")]), ([0xE0, 0x9F, 0xBF], [.unknown, .unknown, .unknown]),
    ([0xED, 0x9F, 0xBB], [.character("\u{D7FB}")]), ([0xED, 0xA0, 0x80], [.unknown, .unknown, .unknown]),
    ([0xEF, 0xBF, 0xBD], [.character("\u{FFFD}")]), ([0xF0, 0x90, 0x80, 0x80], [.character("\u{10000}")]),
    ([0xF0, 0x8F, 0xBF, 0xBF], [.unknown, .unknown, .unknown, .unknown]), ([0xF4, 0x8F, 0xBF, 0xBD], [.unknown]),
    ([0xF4, 0x90, 0x80, 0x80], [.unknown, .unknown, .unknown, .unknown]),
    ([0xF5, 0x80, 0x80, 0x80], [.unknown, .unknown, .unknown, .unknown]),
  ] as [([UInt8], [Key])])
func `only valid UTF-8 is a character, and each byte that begins none is an unknown key`(bytes: [UInt8], keys: [Key]) {
  var decoder = KeyDecoder()
  #expect(bytes.flatMap { decoder.decode($0) } == keys)
}
