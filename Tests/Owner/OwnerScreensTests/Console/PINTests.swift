import Base
import Testing

@testable import OwnerScreens

@Suite struct PINTests {
  @Test func `the PIN is required before anything else, and is not echoed`() {
    var bench = SessionBench(asksPIN: true)
    #expect(bench.written == [])
    bench.handle(.asks(1))
    bench.handle(.tells("A region"))
    bench.type("\r")
    #expect(bench.takeWritten() == "\r\nPIN: ")
    bench.type("25")
    bench.type("\u{7F}\u{15}2\t5\u{1B}[A80")
    #expect(bench.takeWritten() == "")
    bench.type("\r")
    #expect(bench.checks.map(\.pin) == ["2580"] && bench.takeWritten() == "")
    bench.handle(.pinChecked(1, isRight: true))
    #expect(bench.begins == 1 && bench.takeWritten().contains("boat-7"))
    // The PIN is not part of the line history.
    bench.type("\u{10}")
    #expect(bench.terminal.line == "onefix>")
  }

  @Test func `after a wrong PIN, input is ignored until the delay is over, which doubles to at most 5 min`() {
    #expect([0, Int.max].map { PINDelay.delay(after: $0) } == [.zero, .seconds(300)])
    var bench = SessionBench(asksPIN: true)
    bench.type(" ")
    for (failure, delay) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].enumerated() {
      bench.enter(pin: "0000")
      #expect(bench.checks.count == failure + 1)
      bench.pass(.seconds(delay) - .milliseconds(1))
      bench.type("\r\(SessionBench.pin)\r\r")
      #expect(bench.checks.count == failure + 1)
      bench.pass(.milliseconds(1))
    }
    bench.enter(pin: SessionBench.pin)
    #expect(bench.begins == 1)
    // A correct PIN resets the number of failures.
    bench.type("quit\r \(SessionBench.pin)")
    bench.enter(pin: "0000")
    bench.pass(.seconds(1))
    bench.enter(pin: SessionBench.pin)
    #expect(bench.begins == 2)
  }

  @Test func `of many PINs in one input, only the first counts`() {
    var bench = SessionBench(asksPIN: true)
    bench.type(" ")
    bench.type((0...9999).map { "\($0)\r" }.joined())
    #expect(bench.checks.map(\.pin) == ["0"])
  }

  @Test(arguments: [ConsoleSession.Event.hangUp, .breakCondition, .outputFull])
  func `ending the session does not shorten the delay, whether before or after the check`(leaving: ConsoleSession.Event)
  {
    var bench = SessionBench(asksPIN: true)
    for failure in 1...4 {
      bench.type(" ")
      bench.type("0000\r")
      #expect(bench.checks.count == failure)
      // The result of the check is pending.
      if failure % 2 == 0 { bench.handle(.pinChecked(bench.checks[failure - 1].number, isRight: false)) }
      bench.handle(leaving)
      bench.handle(.opened(asksPIN: true))
      // A late result has no effect.
      bench.handle(.pinChecked(bench.checks[failure - 1].number, isRight: true))
      bench.begin()
      #expect(bench.checks.count == failure && bench.begins == 0)
      bench.handle(leaving)
      bench.handle(.opened(asksPIN: true))
      bench.pass(PINDelay.delay(after: failure))
    }
  }

  @Test(arguments: [(0, 0), (64, 1), (65, 0)])
  func `a PIN has 1 to 64 characters, and an empty or overlong one is not checked and causes no delay`(
    length: Int, checks: Int
  ) {
    var bench = SessionBench(asksPIN: true)
    bench.type(" ")
    bench.type(String(repeating: "2", count: length) + "\r")
    #expect(bench.checks.count == checks)
    bench.enter(pin: SessionBench.pin)
    #expect(bench.begins == 1 - checks)
  }

  @Test func `after a wrong PIN, the text names the rest of the delay, rounded up to seconds`() {
    var bench = SessionBench(asksPIN: true)
    bench.type(" ")
    bench.enter(pin: "0000")
    #expect(bench.takeWritten().contains("The PIN can be entered in 1 s."))
    bench.pass(.seconds(1))
    bench.enter(pin: "0000")
    bench.pass(.milliseconds(900))
    bench.handle(.breakCondition)
    bench.type(" ")
    #expect(bench.takeWritten().hasSuffix("The PIN can be entered in 2 s.\r\n"))
  }

  @Test func `a session without a PIN ends after five minutes`() {
    var bench = SessionBench(asksPIN: true)
    bench.type(" ")
    bench.pass(.seconds(299))
    bench.type("2")
    bench.pass(.seconds(299))
    #expect(bench.ends == [])
    bench.pass(.seconds(1))
    #expect(bench.ends == [.idle])
    bench.type(" ")
    bench.type("580\r")
    #expect(bench.checks.map(\.pin) == ["580"])
  }
}
