import Base
import LineProtocol
@testable import OwnerScreens
import SeededNumbers
import Testing

@Suite struct ConsoleSessionTests {
  @Test func `a port without a user receives no output, and any key starts a session`() {
    var bench = SessionBench()
    bench.handle(.tells("secret"))
    bench.pass(.seconds(3600))
    #expect(bench.takeWritten() == "")
    bench.type("status\r")
    #expect(bench.begins == 1 && bench.performed.isEmpty)
    #expect(bench.terminal.above == ["", "OneFix boat-7. help lists the verbs.", "secret"])
    #expect(bench.terminal.line == "onefix>")
  }

  @Test func `a new session shows the latest notifications once, and only after the PIN`() {
    var bench = SessionBench(asksPIN: true)
    for number in 0..<25 { bench.handle(.tells("news \(number).")) }
    bench.type("\r")
    bench.handle(.tells("news 25."))
    #expect(!bench.takeWritten().contains("news"))
    bench.enter(pin: SessionBench.pin)
    let told = bench.takeWritten()
    #expect(!told.contains("news 5.") && (6...25).allSatisfy { told.contains("news \($0).") })
    bench.handle(.breakCondition)
    bench.begin()
    #expect(bench.begins == 2 && !bench.takeWritten().contains("news"))
  }

  @Test func `the fix of a press is shown with nothing typed, before the PIN and above the line that the user types`() {
    let sentence = "$GNRMC," + String(repeating: "1", count: 90)
    var bench = SessionBench(asksPIN: true, open: false)
    bench.handle(.fix([sentence]))
    #expect(!bench.session.isOpen && bench.takeWritten() == "")
    bench.handle(.opened(asksPIN: true))
    bench.handle(.fix([sentence]))
    // A sentence stays one line, and no session begins.
    #expect(bench.takeWritten() == "\(sentence)\r\n" && bench.begins == 0)
    bench.type("\r")
    _ = bench.takeWritten()
    bench.handle(.fix(["a fix"]))
    #expect(bench.takeWritten() == "\r\na fix\r\nPIN: ")
    bench.enter(pin: SessionBench.pin)
    #expect(bench.begins == 1)
    bench.type("sta")
    bench.handle(.fix(["a fix"]))
    #expect(bench.terminal.above.last == "a fix" && bench.terminal.line == "onefix> sta")
  }

  @Test func `a local terminal is greeted immediately`() {
    let bench = SessionBench(.init(greetsAtOnce: true))
    #expect(bench.begins == 1 && bench.terminal.line == "onefix>")
  }

  @Test func `a verb is performed, its lines are shown, and another verb can follow`() throws {
    var bench = SessionBench.opened()
    bench.type("Show map\r")
    #expect(try bench.verbs == [OwnerVerb(parsing: "show map")])
    bench.reply("map  while using", "日本\u{1B}[2J語\u{7}")
    #expect(bench.terminal.above.suffix(3) == ["onefix> Show map", "map  while using", "日本[2J語"])
    #expect(bench.terminal.line == "onefix>")
    bench.type("lock\r")
    #expect(try bench.performed.last?.verb == OwnerVerb(parsing: "lock") && bench.terminal.faults == [])
  }

  @Test func `input during a verb is processed after it, up to the capacity`() throws {
    var bench = SessionBench.opened()
    bench.type("status\rapps\rlock\r")
    #expect(try bench.verbs == [OwnerVerb(parsing: "status")])
    bench.reply("fine")
    bench.reply("none")
    #expect(try bench.verbs == ["status", "apps", "lock"].map { try OwnerVerb(parsing: $0) })
    bench.type(String(repeating: "x", count: 10_000))
    #expect(bench.session.bufferedInput.count == 256)
    bench.type("\u{3}apps\r")
    bench.reply("locked")
    #expect(try bench.performed.last?.verb == OwnerVerb(parsing: "apps"))
  }

  @Test func `a reply to an ended session is not shown`() {
    var bench = SessionBench.opened()
    bench.type("status\r")
    bench.handle(.breakCondition)
    bench.type(" ")
    _ = bench.takeWritten()
    bench.reply("secret")
    bench.handle(.replied(99, ["secret"]))
    #expect(bench.takeWritten() == "")
  }

  @Test func `an invalid verb is reported with a suggestion`() {
    var bench = SessionBench.opened()
    bench.type("stauts\r")
    #expect(bench.terminal.above.last?.contains("status") == true)
    bench.type("\r   \r")
    #expect(bench.performed.isEmpty && bench.terminal.line == "onefix>")
  }

  @Test(arguments: Language.allCases)
  func `the help has a line for every verb, within the terminal's width`(language: Language) {
    for columns in [80, 40, 20] {
      var bench = SessionBench.opened(.init(language: language, columns: columns))
      bench.type("help\r")
      let shown = bench.terminal.above.joined(separator: "\n")
      for name in VerbRow.verbs { #expect(shown.contains("\n\(name)"), "\(name)") }
      #expect(bench.terminal.faults == [])
      let before = bench.terminal.above.count
      bench.type("help lock\r")
      #expect(bench.terminal.above[(before + 1)...].first?.hasPrefix("lock") == true)
    }
  }

  @Test func `the help stands below the syntax of its verb if the terminal is narrow`() {
    // The syntax has four columns.
    for (columns, lines) in [
      (27, ["lock  stop all sharing", "      until the button is", "      held"]),
      (26, ["lock", "  stop all sharing until", "  the button is held"]),
    ] {
      var bench = SessionBench.opened(.init(columns: columns))
      let before = bench.terminal.above.count
      bench.type("help lock\r")
      #expect(Array(bench.terminal.above[(before + 1)...]) == lines)
    }
  }

  @Test func `Tab completes verbs, apps and answers`() throws {
    var bench = SessionBench.opened()
    bench.handle(.appsUpdated(apps: ["map", "logbook"]))
    bench.handle(.asks(3))
    for (typed, verb) in [("sh\tlog\t\r", "show logbook"), ("ans\to\t\r", "answer 3 once")] {
      bench.type(typed)
      #expect(try bench.performed.last?.verb == OwnerVerb(parsing: verb))
      bench.reply()
    }
    bench.type("qu\t\r")
    #expect(bench.ends == [.quit])
  }

  // MARK: Notifications

  @Test func `a notification appears above the edited line, which continues`() throws {
    var bench = SessionBench.opened()
    bench.type("log ma")
    for (event, line) in [
      (ConsoleSession.Event.asks(3), "May app3 know?"), (.closes(3), "withdrawn"), (.tells("near"), "near"),
    ] {
      bench.handle(event)
      #expect(bench.terminal.above.last == line && bench.terminal.line == "onefix> log ma")
    }
    bench.type("p\r")
    #expect(try bench.verbs == [OwnerVerb(parsing: "log map")] && bench.terminal.faults == [])
  }

  @Test func `a new session shows the open prompts, and none that was closed or belonged to a lost gateway`() {
    var bench = SessionBench()
    for (events, isShown) in [
      ([ConsoleSession.Event.asks(3)], true), ([.closes(3)], false), ([.asks(4), .notification(.lost)], false),
    ] {
      for event in events { bench.handle(event) }
      let before = bench.terminal.above.count
      bench.type("\r")
      let shown = bench.terminal.above[before...].joined()
      #expect(shown.contains("May app") == isShown && !shown.contains("withdrawn"))
      bench.handle(.breakCondition)
    }
    bench.type("\r")
    bench.handle(.notification(.found))
    #expect(bench.terminal.above.last == "The gateway answers again.")
  }

  @Test(arguments: ["answer once\r", "answer 3 no\r"])
  func `the result of an answer is shown once, as the reply`(answer: String) {
    var bench = SessionBench.opened()
    bench.handle(.asks(3))
    bench.type(answer)
    bench.handle(.closes(3))
    bench.reply("map: once")
    #expect(bench.terminal.above.last == "map: once" && !bench.terminal.above.contains("withdrawn"))
    // A late notification about this prompt is not shown either; one about another prompt is.
    bench.handle(.closes(3))
    bench.handle(.closes(4, "of another"))
    #expect(bench.terminal.above.suffix(2) == ["map: once", "of another"])
  }

  /// The events before and in the line, the text that refuses the line, a second line, and the answer that this line is.
  @Test(
    arguments: [
      ([.asks(3)], [.closes(3), .asks(4)], "This question is no longer open.", "answer once", "answer 4 once"),
      // The message names the newest prompt.
      ([.asks(3)], [.asks(4)], "by its number: #4", "answer 3 once", "answer 3 once"),
      ([], [], "No question is open.", "answer 5 once", "answer 5 once"),
      ([], [.asks(5)], "by its number: #5", "answer 5 once", "answer 5 once"),
    ] as [([ConsoleSession.Event], [ConsoleSession.Event], String, String, String)])
  func `an answer without a number is refused unless the newest prompt was already open when the line began`(
    before: [ConsoleSession.Event], meanwhile: [ConsoleSession.Event], refusal: String, next: String, answer: String
  ) throws {
    var bench = SessionBench.opened()
    for event in before { bench.handle(event) }
    bench.type("answer on")
    for event in meanwhile { bench.handle(event) }
    bench.type("ce\r")
    #expect(bench.performed.isEmpty && bench.terminal.above.joined(separator: " ").contains(refusal))
    bench.type("\(next)\r")
    #expect(try bench.verbs == [OwnerVerb(parsing: answer)])
  }

  @Test func `input that was typed ahead refers to the prompt on the screen at that time`() throws {
    var bench = SessionBench.opened()
    bench.type("status\ranswer once\r")
    bench.handle(.asks(5))
    bench.type("answer no\r")
    bench.reply("fine")
    #expect(try bench.verbs == [OwnerVerb(parsing: "status"), OwnerVerb(parsing: "answer 5 no")])
    #expect(bench.terminal.faults == [])
  }

  @Test(
    arguments: [
      [.breakCondition, .bytes([13])], [.notification(.lost), .notification(.found), .asks(1)],
    ] as [[ConsoleSession.Event]])
  func `a session forgets its answers when it ends, and when the gateway is lost and prompt numbers start again`(
    events: [ConsoleSession.Event]
  ) {
    var bench = SessionBench.opened()
    bench.handle(.asks(1))
    bench.type("answer no\r")
    bench.reply("app1: no")
    for event in events { bench.handle(event) }
    bench.handle(.closes(1, "by another owner"))
    #expect(bench.terminal.above.last == "by another owner")
  }

  @Test(arguments: ["", "status\r"])
  func `an answer does not reach the question of a new start that has the same number`(before: String) {
    var bench = SessionBench.opened()
    bench.handle(.asks(1))
    // With a command that is still performed, the session keeps the line.
    bench.type(before + "answer alw")
    bench.handle(.notification(.lost))
    bench.handle(.notification(.found))
    bench.handle(.asks(1))
    bench.type("ays\r")
    if !before.isEmpty { bench.reply("fine") }
    #expect(bench.performed.count == (before.isEmpty ? 0 : 1))
    #expect(bench.terminal.above.last == "This question is no longer open.")
  }

  @Test func `if an answer is refused, the session shows how the prompt was closed, before or after the refusal`() {
    var bench = SessionBench.opened()
    bench.handle(.asks(3))
    bench.type("answer once\r")
    bench.handle(.closes(3, isByOwner: false, "at the button"))
    #expect(bench.terminal.above.last == "at the button")
    bench.refuse()
    bench.handle(.asks(4))
    bench.type("answer once\r")
    bench.handle(.closes(4, "by another owner"))
    #expect(!bench.terminal.above.contains("by another owner"))
    bench.refuse()
    #expect(bench.terminal.above.suffix(2) == ["too late", "by another owner"])
    bench.handle(.asks(5))
    bench.type("answer once\r")
    bench.refuse()
    bench.handle(.closes(5))
    #expect(bench.terminal.above.last == "withdrawn")
  }

  // MARK: The end

  @Test(arguments: [
    (ConsoleSession.Event.bytes(Array("quit\r".utf8)), ConsoleSession.EndReason.quit),
    (.bytes([4]), .endOfInput), (.breakCondition, .breakCondition), (.hangUp, .hangUp), (.outputFull, .outputFull),
  ])
  func `a session ends in each of these ways, and then everything requires the PIN`(
    event: ConsoleSession.Event, reason: ConsoleSession.EndReason
  ) {
    for isPerforming in [false, true] where !isPerforming || reason != .quit && reason != .endOfInput {
      var bench = SessionBench(asksPIN: true)
      bench.begin()
      bench.type("log\r")
      if !isPerforming { bench.reply("entry") }
      bench.handle(event)
      #expect(bench.ends == [reason])
      #expect(bench.discards == (reason == .quit || reason == .endOfInput ? 0 : 1))
      expectNothing(&bench)
    }
  }

  @Test func `five minutes without a key end a session, and a reply does not count as a key`() {
    var bench = SessionBench(asksPIN: true)
    bench.begin()
    bench.pass(.seconds(200))
    bench.type("x")
    bench.pass(.seconds(200))
    bench.handle(.tells("news"))
    bench.handle(.appsUpdated(apps: ["map"]))
    bench.pass(.seconds(99))
    #expect(bench.ends == [])
    bench.pass(.seconds(1))
    #expect(bench.ends == [.idle])
    expectNothing(&bench)
  }

  /// Checks that no event causes output or a verb before the PIN, and that the history is empty after it.
  private func expectNothing(_ bench: inout SessionBench) {
    let performed = bench.performed.count
    if bench.session.state == .closed { bench.handle(.opened(asksPIN: true)) }
    _ = bench.takeWritten()
    bench.reply("secret")
    bench.handle(.asks(9))
    bench.handle(.tells("secret"))
    bench.handle(.notification(.lost))
    bench.type("log\r")
    bench.type("\r\u{10}\u{1B}[Alog\t\r")
    // The console treats this input as a PIN.
    if let check = bench.checks.last { bench.handle(.pinChecked(check.number, isRight: false)) }
    bench.pass(.seconds(1000))
    let told = bench.takeWritten()
    #expect(!told.contains("secret") && !told.contains("May app9"))
    #expect(bench.performed.count == performed && bench.begins == 1)
    bench.begin()
    #expect(bench.begins == 2)
    bench.type("\u{10}\r")
    #expect(bench.performed.count == performed)
  }

  @Test func `Ctrl-C discards the line, and Ctrl-D inside a line does not end the session`() throws {
    var bench = SessionBench.opened()
    bench.type("lock\u{3}")
    #expect(bench.terminal.above.last == "onefix> lock^C")
    bench.type("statuss\u{2}\u{4}\r")
    #expect(try bench.verbs == [OwnerVerb(parsing: "status")] && bench.ends == [])
  }

  @Test(arguments: 0..<60)
  func `any sequence of events is handled, and no verb runs without the PIN`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    var bench = SessionBench(asksPIN: true, open: false)
    var isAllowed = false
    let ends: [ConsoleSession.Event] = [.opened(asksPIN: true), .breakCondition, .hangUp, .outputFull]
    for _ in 0..<400 {
      let before = bench.performed.count
      switch Int.random(in: 0..<14, using: &numbers) {
      case let number where number < ends.count:
        bench.handle(ends[number])
        isAllowed = false
      case 4:
        guard let check = bench.checks.last else { break }
        let begins = bench.begins
        bench.handle(.pinChecked(check.number, isRight: check.pin == SessionBench.pin))
        guard bench.begins > begins else { break }
        #expect(check.pin == SessionBench.pin)
        isAllowed = true
      case 5: bench.handle(.replied(Int.random(in: 0..<60, using: &numbers), ["lines"]))
      case 6: bench.reply("lines")
      case 7: bench.handle(.tells("news"))
      case 8: bench.pass(.seconds(Int.random(in: 0...310, using: &numbers)))
      case 9: bench.type(SessionBench.pin)
      case 10: bench.type("\r")
      case 11: bench.type("\rstatus\r")
      case 12: bench.type("\r\(SessionBench.pin)\r")
      default: bench.handle(.bytes((0..<20).map { _ in UInt8.random(in: 0...255, using: &numbers) }))
      }
      if bench.session.deadline == nil || bench.session.state == .waiting {
        isAllowed = isAllowed && [.editing, .performing].contains(bench.session.state)
      }
      if bench.performed.count > before { #expect(isAllowed) }
      #expect(bench.session.bufferedInput.count <= ConsoleSession.inputBufferSize)
    }
    #expect(bench.terminal.faults == [])
  }
}
