import Authorization
import Clocks
import LineProtocol
import Testing

@Test func `a press serves an implicit arm if there is no explicit request`() {
  var bench = Bench([a: .confirmed])
  #expect(bench.request(1, at: .seconds(1), isImplicit: true) == [.accept(RequestID(1))])
  #expect(bench.press(down: .seconds(2)).servedApps == [a])
  #expect(bench.authorization.arms.isEmpty, "a request gets one fix")
}

@Test(arguments: [Standing.confirmed, .whenInUse, .new, .denied])
func `an implicit arm comes after every explicit request, even one that needs a prompt`(other: Standing) {
  for claimant in [Standing.confirmed, .whenInUse, .always] {
    var bench = Bench([a: claimant, b: other])
    bench.request(1, at: .seconds(1), isImplicit: true)
    bench.request(2, at: .seconds(2))
    let effects = bench.press(down: .seconds(3))
    #expect(effects.servedApps == [b] || effects.shown?.app == b)
    #expect(bench.authorization.isArmed(a))
  }
}

@Test func `a press that serves all apps also serves implicit arms, and each app once`() {
  var bench = Bench([a: .confirmed, b: .confirmed]) { $0.pressServesAll = true }
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1), isImplicit: true)
  bench.request(9, at: .seconds(1), isImplicit: true)
  bench.request(2, at: .seconds(1))
  #expect(bench.press(down: .seconds(2)).served.map(\.session) == [SessionID(2), SessionID(1)])
}

@Test func `an implicit arm delays no prompt, and a press answers the prompt`() {
  var bench = Bench([b: .confirmed])
  bench.request(2, at: .seconds(1), isImplicit: true)
  #expect(bench.ask(1, .whenInUse, at: .seconds(10)).shown?.app == a)
  #expect(bench.press(down: .seconds(12)).servedApps == [])
  #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse)
}

@Test(arguments: [(Duration.seconds(3601), Duration.seconds(3601)), (.seconds(90_000), .seconds(86_400))])
func `an implicit arm lasts while its client watches, 24 h at most`(timeout: Duration, expected: Duration) {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1), timeout: timeout, isImplicit: true)
  #expect(bench.authorization.nextDeadline == at(.seconds(1) + expected))
  for event in [Event.cancelled(SessionID(1)), .sessionEnded(SessionID(1))] {
    var other = bench
    other.handle(event, at: .seconds(2))
    #expect(other.press(down: .seconds(3)).servedApps == [])
  }
}

@Test func `a watching client excludes neither an explicit request of its app nor another watching client`() {
  var bench = Bench([a: .confirmed])
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1), isImplicit: true)
  #expect(bench.request(1, at: .seconds(1), isImplicit: true) == [.refuse(RequestID(2), .alreadyArmed)])
  #expect(
    bench.request(1, at: .seconds(1)) == [.refuse(RequestID(3), .alreadyArmed)], "this session already has a request")
  #expect(bench.request(9, at: .seconds(1)) == [.accept(RequestID(4))])
  #expect(bench.press(down: .seconds(2)).served.map(\.session) == [SessionID(9)])
  bench.handle(.served(RequestID(4)), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(4), isImplicit: true) == [.accept(RequestID(5))])
  #expect(bench.press(down: .seconds(6)).served.map(\.session) == [SessionID(1)], "the first armed app")
}

@Test func `an unanswered prompt for an implicit arm leaves the arm, and no press opens another prompt`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1), timeout: .seconds(86_400), isImplicit: true)
  #expect(bench.press(down: .seconds(2)).shown?.kind == .confirm)
  #expect(bench.handle(.timePassed, at: .milliseconds(12_100)).ended == [:])
  #expect(bench.press(down: .seconds(20)).shown == nil, "the app may cause no prompt for 10 min")
  #expect(bench.press(down: .seconds(700)).shown?.kind == .confirm)
}

@Test func `an app with a pause of prompts may watch, and presses ignore it until the pause ends`() {
  var record = Standing.new.record(a)
  record.promptPause = PromptPause(until: at(.seconds(1000)), length: .seconds(600))
  var bench = Bench(records: [record])
  #expect(bench.request(1, at: .seconds(1), timeout: .seconds(7200), isImplicit: true) == [.accept(RequestID(1))])
  #expect(bench.press(down: .seconds(2)).shown == nil)
  #expect(bench.press(down: .seconds(1001)).shown?.app == a)
}

@Test func `the receiver starts early for an implicit arm only if no explicit request comes first`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1), isImplicit: true)
  #expect(bench.authorization.expectsPress(of: "main", down: at(.seconds(2))))
  bench.request(2, at: .seconds(1))
  #expect(!bench.authorization.expectsPress(of: "main", down: at(.seconds(2))), "the press opens a prompt")
}
