import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

@Test func `A1: the first press opens a prompt, and gives no fix`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let effects = bench.press(down: .seconds(2))
  let prompt = try #require(effects.shown)
  #expect(effects == [.show(prompt)])
  #expect(prompt.kind == .confirm && prompt.app == a)
  #expect(
    prompt.shown == at(.milliseconds(2100))
      && bench.authorization.answerDeadline(of: prompt) == at(.milliseconds(12_100)))
  #expect(bench.authorization.record(of: a) == AppRecord(app: a).armed)
}

@Test func `A2: a press gives a confirmed app one fix, and its status stays`() throws {
  var bench = Bench([a: .confirmed])
  #expect(bench.request(1, at: .seconds(1)) == [.accept(RequestID(1))])
  let effects = bench.press(down: .seconds(2))
  let grant = try #require(effects.served.first)
  #expect(effects.outward == [.notifyPress(SessionID(1), .authorized), .serve(grant)])
  #expect(grant.right == .once && grant.app == a)
  #expect(bench.authorization.status(of: a) == .notDetermined)
  bench.handle(.served(RequestID(1)), at: .seconds(3))
  #expect(bench.authorization.grants.isEmpty && bench.authorization.arms.isEmpty)
  #expect(bench.press(down: .seconds(10)).servedApps == [], "a request gets one fix")
}

@Test(arguments: [Standing.confirmed, .whenInUse, .always])
func `A8: a double click gives one fix to one app, for every right`(standing: Standing) {
  var bench = Bench([a: standing, b: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(1))
  #expect(bench.press(down: .seconds(2)).servedApps == [a])
  #expect(bench.press(down: .milliseconds(2150)) == [.blip(.acquiring)])
  bench.handle(.served(RequestID(1)), at: .milliseconds(2300))
  #expect(bench.press(down: .milliseconds(2400)) == [.blip(.acquiring)], "served immediately, and pressed again")
  #expect(bench.press(down: .milliseconds(4300)).servedApps == [b])
}

@Test(arguments: Standing.allCases)
func `A7: an illegible indicator gives no grant and opens no prompt`(standing: Standing) {
  var bench = Bench([a: standing])
  bench.request(1, at: .seconds(1))
  #expect(
    bench.press(down: .seconds(2), illegible: "indicator-dark")
      == [.notifyPress(SessionID(1), .illegible("indicator-dark"))])
  #expect(bench.authorization.grants.isEmpty && bench.authorization.prompt == nil)
  #expect(bench.authorization.record(of: a) == standing.record(a).armed)
}

@Test(arguments: [Standing.confirmed, .whenInUse, .always])
func `A8: a press while the fix of another press is in flight serves no app and opens no prompt`(standing: Standing) {
  var bench = Bench([a: standing, b: .new])
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(bench.press(down: .seconds(30)) == [.blip(.acquiring)])
}

@Test(arguments: [
  (Duration.seconds(1) - .nanosecond, false), (.seconds(1), true), (.milliseconds(999), false),
  (.milliseconds(1001), true), (.zero, false), (.milliseconds(-50), false), (.milliseconds(-100), false),
])
func `only an app that was armed 1 s before the down edge is served, independently of the order of arrival`(
  before: Duration, isServed: Bool
) {
  for standing in Standing.allCases {
    for delay in [Duration.zero, .milliseconds(400), .seconds(50)] {
      var bench = Bench([a: standing])
      bench.request(1, at: .seconds(1))
      let down = .seconds(1) + before
      let effects = bench.press(down: down, heard: down + .milliseconds(100) + delay)
      #expect((effects.servedApps == [a] || effects.shown?.app == a) == isServed, "\(standing)")
      if !isServed {
        #expect(effects == [.notifyPress(SessionID(1), .armedTooLate), .blip(.nothingWaiting)])
        #expect(bench.authorization.isArmed(a), "the app stays armed for the next press")
      }
    }
  }
}

@Test func `an app with the highest possible service number still gets its fix`() {
  var record = Standing.always.record(a)
  record.lastServed = .max
  var bench = Bench(records: [record, Standing.always.record(b)])
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(2))
  for (press, app) in [b, a].enumerated() {
    let grant = bench.press(down: .seconds(10 + 10 * press)).served[0]
    #expect(grant.app == app)
    bench.handle(.served(grant.request), at: .seconds(11 + 10 * press))
    #expect(bench.authorization.record(of: app).lastServed == .max)
  }
}

@Test func `a press serves one app, unless it is configured to serve all apps that need no prompt`() {
  for servesAll in [false, true] {
    var bench = Bench([a: .confirmed, b: .whenInUse, c: .denied]) { $0.pressServesAll = servesAll }
    for session: UInt64 in 1...3 { bench.request(session, at: .seconds(1)) }
    let effects = bench.press(down: .seconds(2))
    #expect(effects.servedApps == (servesAll ? [a, b] : [a]))
    #expect(effects.shown == nil && bench.authorization.isArmed(c))
    #expect(Set(effects.served.map(\.press)).count == 1)
  }
}

@Test(arguments: [
  (Duration.seconds(300), Duration.seconds(300)), (.seconds(3600), .seconds(3600)), (.seconds(3601), .seconds(3600)),
  (.zero, .zero), (.seconds(-5), .zero), (.seconds(Int64.max), .seconds(3600)),
])
func `an arm ends at its timeout, which is at most an hour`(timeout: Duration, expected: Duration) {
  var bench = Bench([a: .confirmed])
  #expect(bench.request(1, at: .seconds(1), timeout: timeout) == [.accept(RequestID(1))])
  #expect(bench.authorization.nextDeadline == at(.seconds(1) + expected))
  if expected > .zero { #expect(bench.handle(.timePassed, at: .seconds(1) + expected - .nanosecond) == []) }
  #expect(bench.handle(.timePassed, at: .seconds(1) + expected) == [.end(RequestID(1), .noPress)])
  #expect(bench.authorization.nextDeadline == nil)
}

@Test func `a grant expires 60 s after the release, not after its handling`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2), up: .seconds(3), heard: .seconds(33))
  #expect(bench.authorization.nextDeadline == at(.seconds(63)))
  #expect(bench.handle(.timePassed, at: .seconds(63) - .nanosecond) == [])
  #expect(bench.handle(.timePassed, at: .seconds(63)) == [.end(RequestID(1), .expired)])
  #expect(bench.authorization.grants.isEmpty)
}

@Test func `the end of a session cancels its arm, and another session does not inherit it`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  #expect(bench.handle(.sessionEnded(SessionID(1)), at: .seconds(2)) == [.end(RequestID(1), .sessionEnded)])
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(2))
  #expect(bench.press(down: .seconds(3)).servedApps == [])
  #expect(bench.request(1, at: .seconds(4)) == [.refuse(RequestID(2), .noSession)])
}

@Test func `the receiver starts early only for a press that could serve an app without a prompt`() {
  for (standing, expected) in [
    (Standing.new, false), (.denied, false), (.confirmed, true), (.whenInUse, true), (.always, true),
  ] {
    var bench = Bench([a: standing])
    #expect(!bench.authorization.expectsPress(of: "main", down: at(.seconds(1))))
    bench.request(1, at: .seconds(1))
    #expect(bench.authorization.expectsPress(of: "main", down: at(.seconds(2))) == expected)
    #expect(!bench.authorization.expectsPress(of: "main", down: at(.milliseconds(1999))))
  }
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1), .watching)
  #expect(bench.authorization.expectsPress(of: "main", down: at(.seconds(2))))
  bench.request(2, at: .seconds(1))
  #expect(!bench.authorization.expectsPress(of: "main", down: at(.seconds(2))), "the explicit request opens a prompt")
}

@Test
func
  `the receiver does not start early for a restricted app, another app's button, an open prompt, or shortly after a prompt or a grant`()
{
  var bench = Bench([a: .always, b: .confirmed, c: .new]) {
    $0.restrictedApps = [a]
    $0.boundApps = ["side": [a, c]]
  }
  func expects(_ button: String, _ down: Duration) -> Bool {
    bench.authorization.expectsPress(of: button, down: at(down))
  }
  bench.request(1, at: .seconds(1))
  #expect(!expects("main", .seconds(2)), "restricted")
  bench.request(3, at: .seconds(1))
  bench.press("side", down: .seconds(2))
  bench.request(2, at: .seconds(3))
  #expect(!expects("main", .seconds(4)), "a prompt is open")
  bench.handle(.cancelled(SessionID(3)), at: .seconds(5))
  #expect(!expects("main", .milliseconds(5999)) && expects("main", .seconds(6)))
  #expect(!expects("side", .seconds(6)))
  bench.press(down: .seconds(6))
  bench.handle(.served(RequestID(bench.requests)), at: .seconds(7))
  bench.request(2, at: .seconds(7))
  #expect(!expects("main", .milliseconds(8999)) && expects("main", .seconds(9)))
}
