import Clocks
@testable import Console
import LineProtocol
import Testing

@testable import OwnerVerbs

private func later(_ seconds: Double) -> MonotonicInstant { Sample.now + .seconds(seconds) }

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
  ("jay", [Deed.verb(.allow(app: "ferry", .always))]), ("jwY", [.verb(.allow(app: "ferry", .whileUsing))]),
  ("jjdy", [.verb(.deny(app: "logbook"))]), ("jjjry", [.verb(.reset(app: "公園-map"))]), ("kdn", []), ("kdx", []),
  ("kf", [.verb(.accuracy(app: "weather", .reduced))]), ("jjf", [.verb(.accuracy(app: "logbook", .full))]),
  ("ju", [.verb(.use(app: "ferry"))]), ("ly", [.verb(.lock)]), ("l ", []), (" ", [.press]), ("h", [.hold]),
  ("jny", [.verb(.addKey(app: "ferry", isToken: false))]), ("jty", [.verb(.addKey(app: "ferry", isToken: true))]),
  ("jvy", [.verb(.revokeKey(app: "ferry"))]), ("jv ", []), ("n", []), ("cy", [.verb(.reload)]), ("c", []),
  ("g", [.verb(.regions(app: nil))]), ("p", [.verb(.page)]), ("0", []), ("a", []),
  ("jjjjjjkku", [.verb(.use(app: "logbook"))]), ("?d", []), ("y", []), ("1", []),
])
func `keys are an owner's commands, and what takes or gives for good waits for a yes`(keys: String, deeds: [Deed])
  throws
{
  var session = Sample.session(Sample.boat)
  _ = try session.look()
  #expect(try session.press(keys) == deeds.map { .perform($0) })
}

@Test func `a yes counts only once its question is on the terminal`() throws {
  var session = Sample.session(Sample.boat)
  _ = try session.look()
  #expect(session.handle(.key(.character("l")), at: Sample.now).isEmpty)
  #expect(session.handle(.key(.character("y")), at: Sample.now).isEmpty)
  #expect(try session.look().lines.last == "Give nothing until the button is held? y/n")
  #expect(session.handle(.key(.character("y")), at: Sample.now) == [.perform(.verb(.lock))])
}

@Test func `a key is for the app that was chosen, though others come before it; one that is gone is none`() throws {
  var session = Sample.session(Sample.boat)
  _ = try session.look()
  _ = try session.press("jj")
  var overview = Sample.boat
  overview.apps.insert(Sample.app("aardvark", "Never"), at: 0)
  _ = session.handle(.told(overview), at: Sample.now)
  #expect(try session.press("u") == [.perform(.verb(.use(app: "logbook")))])
  _ = session.handle(.done(.message("logbook: in use")), at: Sample.now)
  overview.apps.removeAll { $0.app == "logbook" }
  _ = session.handle(.told(overview), at: Sample.now)
  #expect(try session.press("u").isEmpty)
  #expect(try session.look().lines.last == "Choose an app first, with j and k.")
}

@Test func `apps that are not shown are not changed`() throws {
  var session = Sample.session(Sample.boat, 12, 40)
  _ = try session.look()
  _ = try session.press("j")
  _ = session.handle(.key(.tab), at: Sample.now)
  _ = try session.look()
  #expect(try session.press("u").isEmpty)
  // They are shown instead.
  #expect(try session.press("u") == [.perform(.verb(.use(app: "ferry")))])
}

@Test func `a question is answered by number, once it was before the person for a second`() throws {
  var session = Sample.session(Sample.asking)
  #expect(session.handle(.key(.character("2")), at: Sample.now).isEmpty)
  // The line takes its time: only what it has taken has been seen.
  _ = session.frame(at: try Sample.reading(0))
  #expect(session.handle(.key(.character("2")), at: later(5)).isEmpty)
  _ = session.handle(.drawn, at: later(5))
  #expect(session.handle(.key(.character("2")), at: later(5.9)).isEmpty)
  #expect(try session.look(5.9).lines.last == "It has only just been asked: read it first.")
  #expect(session.handle(.key(.character("4")), at: later(6)).isEmpty)
  let answer = OwnerVerb.answer(prompt: 3, .whileUsing, accuracy: .full)
  #expect(session.handle(.key(.character("2")), at: later(6)) == [.perform(.verb(answer))])
}

@Test func `a question in the place of another is a new one to read`() throws {
  var session = Sample.session(Sample.asking)
  _ = try session.look(0)
  var overview = Sample.asking
  overview.question?.prompt = 4
  _ = session.handle(.told(overview), at: later(10))
  // The other one is on the terminal still.
  #expect(try session.handle(.key(.character("1")), at: later(10)).isEmpty && !session.look(10).lines.isEmpty)
  #expect(session.handle(.key(.character("1")), at: later(10.5)).isEmpty)
  let answer = OwnerVerb.answer(prompt: 4, .once, accuracy: .full)
  #expect(session.handle(.key(.character("1")), at: later(11)) == [.perform(.verb(answer))])
}

@Test func `an answer lets an app know as precisely as it may already, or as was chosen and seen`() throws {
  var overview = Sample.asking
  overview.question?.app = "logbook"
  for (presses, accuracy) in [("", FixAccuracy.reduced), ("0", .full), ("00", .reduced)] {
    var session = Sample.session(overview)
    #expect(try session.look().lines.contains { $0.hasSuffix("0 Accuracy: approximate") })
    #expect(try session.press(presses, after: 2).isEmpty)
    let shown = accuracy == .full ? "0 Accuracy: precise" : "0 Accuracy: approximate"
    #expect(try session.look(2).lines.contains { $0.hasSuffix(shown) })
    let answer = OwnerVerb.answer(prompt: 3, .whileUsing, accuracy: accuracy)
    #expect(session.handle(.key(.character("2")), at: later(2)) == [.perform(.verb(answer))])
  }
  // A no has none, and what is not on the terminal yet has not been meant.
  var session = Sample.session(overview)
  _ = try session.look()
  #expect(session.handle(.key(.character("0")), at: later(2)).isEmpty)
  #expect(session.handle(.key(.character("3")), at: later(2)).isEmpty)
  _ = try session.look(2)
  let answer = OwnerVerb.answer(prompt: 3, .no, accuracy: nil)
  #expect(session.handle(.key(.character("3")), at: later(2)) == [.perform(.verb(answer))])
}

@Test func `what was chosen for a question is for no other, and other questions have nothing to choose`() throws {
  var session = Sample.session(Sample.asking)
  _ = try session.look()
  #expect(try session.press("0", after: 2).isEmpty)
  var overview = Sample.asking
  overview.question?.prompt = 4
  _ = session.handle(.told(overview), at: later(3))
  #expect(try session.look(3).lines.contains { $0.hasSuffix("0 Accuracy: precise") })
  overview.question?.isAboutAccuracy = false
  overview.question?.prompt = 5
  _ = session.handle(.told(overview), at: later(6))
  #expect(try !session.look(6).lines.joined().contains("0 Accuracy"))
  let answer = OwnerVerb.answer(prompt: 5, .once, accuracy: nil)
  #expect(try session.press("01", after: 8) == [.perform(.verb(answer))])
}

@Test(arguments: [(24, 80, 1), (5, 30, 2)])
func `what is to be read stays until a key, page by page, and nothing is done meanwhile`(
  rows: Int, columns: Int, pages: Int
) throws {
  var session = Sample.session(Sample.boat, rows, columns)
  _ = try session.look()
  let secret = String(repeating: "k", count: 43)
  _ = session.handle(.done(.sheet(["The key of ferry, shown only now:", secret])), at: Sample.now)
  var text = ""
  for page in 1...pages {
    let lines = try session.look(60).lines
    text += lines[2..<(rows - 1)].joined()
    #expect(lines.last == "Any key goes on." && !lines.contains { $0.hasPrefix("> ") }, "\(page)")
    #expect(session.handle(.key(.character("l")), at: later(60)).isEmpty)
  }
  #expect(text.contains(secret))
  #expect(try session.look(60).lines.contains { $0.hasPrefix("> ") } && session.sheet == nil)
}

@Test func `a question that is not shown whole, or is covered, is not answered`() throws {
  for (rows, columns) in [(4, 80), (6, 20), (24, 3)] {
    var session = Sample.session(Sample.asking, rows, columns)
    _ = try session.look(0)
    #expect(try session.press("1", after: 5).isEmpty)
  }
  var session = Sample.session(Sample.asking)
  _ = try session.look(0)
  #expect(try session.press("?x1", after: 5).isEmpty)
  #expect(try session.press("1", after: 7) != [])
}

@Test func `one thing is done at a time, and its outcome is told for some seconds`() throws {
  var session = Sample.session(Sample.boat)
  _ = try session.look()
  #expect(try session.press("  ") == [.perform(.press)])
  _ = session.handle(.done(.message("Button: served")), at: later(1))
  #expect(try session.look(2).lines.last == "Button: served")
  #expect(try session.look(8).lines.last?.hasPrefix("? help") == true)
  #expect(try session.press(" ", after: 9) == [.perform(.press)])
}

@Test func `where the gateway does not answer nothing is asked of it`() throws {
  var session = Sample.session(Sample.boat)
  _ = try session.press("j")
  _ = session.handle(.lost, at: Sample.now)
  #expect(try session.press("ly hu").isEmpty)
}

@Test(arguments: [
  (Key.interrupt, [TopSession.Effect.end]), (.endOfInput, [.end]), (.character("q"), [.end]), (.redraw, [.redraw]),
  (.suspend, [.suspend]), (.position(row: 3, column: 4), []), (.unknown, []), (.enter, []),
])
func `some keys are for the terminal`(key: Key, effects: [TopSession.Effect]) {
  var session = Sample.session(Sample.boat)
  #expect(session.handle(.key(key), at: Sample.now) == effects)
}

@Test func `the help has every key, on as many pages as it takes`() throws {
  for (rows, columns) in [(24, 80), (12, 40), (5, 30)] {
    var session = Sample.session(Sample.boat, rows, columns)
    _ = session.handle(.key(.character("?")), at: Sample.now)
    var pages: [String] = []
    while session.sheet != nil, pages.count < 40 {
      pages += try session.look().lines[2...].dropLast()
      _ = session.handle(.key(.character(" ")), at: Sample.now)
    }
    for key in [
      "j k", "Tab", "a", "w", "d", "r", "f", "u", "n t", "v", "1-9", "0", "g", "c", "p", "l", "Space", "h", "Ctrl-L",
      "q",
    ] {
      #expect(pages.contains { $0.hasPrefix("\(key) ") }, "\(key) \(rows)")
    }
  }
}

@Test(arguments: [
  ("\u{1B}[5~", [Key.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1A}", [.suspend]),
  ("\u{1B}[24;80R", [.position(row: 24, column: 80)]), ("\u{1B}[R", [.unknown]), ("\u{1B}[1;2;3R", [.unknown]),
  ("\u{1B}[99999999999999999999;1R", [.unknown]), ("\u{1B}OA\u{1B}[B", [.up, .down]),
])
func `keys that move by pages, and a terminal's answer, are read`(bytes: String, keys: [Key]) {
  var decoder = KeyDecoder()
  var pressed: [Key] = []
  for byte in bytes.utf8 { decoder.take(byte) { pressed.append($0) } }
  #expect(pressed == keys)
}
