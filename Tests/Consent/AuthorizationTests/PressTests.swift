import Authorization
import Base
import LineProtocol
import Testing

// MARK: A1

@Test func `A1: the first press opens a prompt, and gives no fix`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let effects = bench.press(down: .seconds(2))
  let prompt = try #require(effects.shown)
  #expect(effects == [.show(prompt)])
  #expect(prompt.kind == .confirm && prompt.app == a)
  #expect(prompt.shown == at(.milliseconds(2100)) && prompt.deadline == at(.milliseconds(12_100)))
  #expect(bench.authorization.record(of: a) == AppRecord(app: a).armed)
}

@Test func `A1: the press that answers confirms permanently, and counts as the press for the fix`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  let effects = bench.press(down: .seconds(4))
  let grant = try #require(effects.served.first)
  #expect(effects.outward == [.close(prompt, .yes), .notifyPress(SessionID(1), .authorized), .serve(grant)])
  #expect(grant.right == .once && grant.request == RequestID(1) && grant.session == SessionID(1))
  #expect(grant.press?.down == at(.seconds(4)) && grant.expires == at(.milliseconds(64_100)))
  let record = bench.authorization.record(of: a)
  #expect(record.status == .notDetermined && record.isButtonConfirmed)

  bench.handle(.served(RequestID(1)), at: .seconds(5))
  bench.request(1, at: .seconds(6))
  #expect(bench.press(down: .seconds(8)).servedApps == [a])
}

@Test func `A1: a hold denies`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  let effects = bench.hold(down: .seconds(4))
  #expect(
    effects.outward
      == [.close(prompt, .no), .end(RequestID(1), .denied), .eraseUndelivered(a), .announce(a)])
  #expect(bench.authorization.status(of: a) == .denied)
  #expect(!bench.authorization.isLocked && bench.authorization.arms.isEmpty)
}

@Test func `A1: no answer disarms and begins a pause, and changes nothing else`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  #expect(bench.handle(.timePassed, at: .milliseconds(12_100) - .nanosecond) == [])
  let effects = bench.handle(.timePassed, at: .milliseconds(12_100))
  #expect(effects.outward == [.close(prompt, .unanswered), .end(RequestID(1), .noPress)])
  var expected = AppRecord(app: a).armed
  expected.promptPause = PromptPause(until: at(.milliseconds(612_100)), length: .seconds(600))
  #expect(bench.authorization.record(of: a) == expected)
}

// MARK: A2, A3

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

@Test(arguments: [(Standing.whenInUse, Right.whenInUse), (.always, .always)])
func `A3: a press serves a standing authorization, and its status stays`(standing: Standing, right: Right) {
  var bench = Bench([a: standing])
  bench.request(1, at: .seconds(1))
  #expect(bench.press(down: .seconds(2)).served.map(\.right) == [right])
  #expect(bench.authorization.status(of: a) == standing.record(a).status)
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

// MARK: A4

@Test func `A4: a press on the prompt of a denied app gives one fix and confirms the app`() throws {
  var bench = Bench([a: .denied])
  #expect(bench.request(1, at: .seconds(1)) == [.accept(RequestID(1))])
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  #expect(prompt.kind == .introduce)
  let effects = bench.press(down: .seconds(4))
  #expect(effects.first == .close(prompt, .yes))
  #expect(effects.contains(.announce(a)) && effects.servedApps == [a])
  let record = bench.authorization.record(of: a)
  #expect(record.status == .notDetermined && record.isButtonConfirmed)
}

@Test func `A4: after a hold or without an answer, a denied app stays denied and is disarmed`() {
  for isHeld in [true, false] {
    var bench = Bench([a: .denied])
    bench.request(1, at: .seconds(1))
    bench.press(down: .seconds(2))
    let effects = isHeld ? bench.hold(down: .seconds(4)) : bench.handle(.timePassed, at: .seconds(20))
    #expect(effects.last == .end(RequestID(1), isHeld ? .denied : .noPress))
    #expect(!effects.contains(.announce(a)))
    #expect(bench.authorization.status(of: a) == .denied)
    #expect(bench.authorization.arms.isEmpty && !bench.authorization.isLocked)
  }
}

// MARK: A5, A6, A7

@Test func `A5: a restricted app receives the reason`() {
  var bench = Bench([a: .always]) { $0.restrictedApps = [a] }
  #expect(bench.request(1, at: .seconds(1)) == [.accept(RequestID(1))])
  #expect(bench.press(down: .seconds(2)) == [.notifyPress(SessionID(1), .restricted), .blip(.nothingWaiting)])
}

@Test func `A5: a restricted app never takes a press from another app`() throws {
  var bench = Bench([a: .confirmed, b: .confirmed]) { $0.restrictedApps = [a] }
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(2))
  let effects = bench.press(down: .seconds(3))
  #expect(effects.first == .notifyPress(SessionID(1), .restricted))
  #expect(effects.servedApps == [b])
}

@Test func `A5: a restricted app does not prevent a prompt for another app`() {
  var bench = Bench([a: .confirmed]) { $0.restrictedApps = [a] }
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(2))
  #expect(bench.press(down: .seconds(3)).shown?.app == b)
}

@Test func `A6: a press while nothing is armed is reported to all sessions, and the indicator blips`() {
  var bench = Bench([a: .always])
  #expect(bench.press(down: .seconds(2)) == [.notifyPress(nil, .nothingArmed), .blip(.nothingWaiting)])
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

@Test func `A7: if a press would have served all apps, all of them receive the reason`() {
  var bench = Bench([a: .confirmed, b: .always, c: .new]) { $0.pressServesAll = true }
  for session: UInt64 in 1...3 { bench.request(session, at: .seconds(1)) }
  #expect(
    bench.press(down: .seconds(2), illegible: "label-too-small")
      == [1, 2].map { .notifyPress(SessionID($0), .illegible("label-too-small")) })
}

@Test func `A7: while the indicator is illegible, a press does not answer yes`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(
    bench.press(down: .seconds(4), illegible: "indicator-dark")
      == [.notifyPress(SessionID(1), .illegible("indicator-dark"))])
  #expect(!bench.authorization.record(of: a).isButtonConfirmed)
  #expect(bench.authorization.prompt != nil)
}

// MARK: A8

@Test(arguments: [Standing.confirmed, .whenInUse, .always])
func `A8: a press while the fix of another press is in flight serves no app and opens no prompt`(standing: Standing) {
  var bench = Bench([a: standing, b: .new])
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(bench.press(down: .seconds(30)) == [.blip(.acquiring)])
}

@Test(arguments: [
  (Duration.seconds(2) - .nanosecond, false), (.seconds(2), true), (.seconds(2) - .milliseconds(1), false),
  (.milliseconds(-50), false), (.seconds(2) + .nanosecond, true),
])
func `A8: a press within 2 s after such a fix, counted from the down edge, serves no app`(
  pause: Duration, isServed: Bool
) {
  let request = RequestID(1)
  let session = SessionID(1)
  let three = Duration.seconds(3)
  let ends: [(Event, Duration)] = [
    (.served(request), three), (.failed(request), three), (.cancelled(session), three),
    (.sessionEnded(session), three), (.timePassed, .milliseconds(62_100)),
  ]
  let pairs = [Standing.confirmed, .new].flatMap { next in
    [Standing.confirmed, .whenInUse, .always].map { (served: $0, next: next) }
  }
  for (served, standing) in pairs {
    for (event, time) in ends {
      var bench = Bench([a: served, b: standing])
      bench.request(1, at: .seconds(1))
      bench.request(2, at: .seconds(1))
      bench.press(down: .seconds(2))
      bench.handle(event, at: time)
      let effects = bench.press(down: time + pause)
      #expect((effects == [.blip(.acquiring)]) == !isServed, "\(event)")
      #expect((effects.servedApps == [b]) == (isServed && standing == .confirmed), "\(event)")
      #expect((effects.shown?.app == b) == (isServed && standing == .new), "\(event)")
    }
  }
}

// MARK: Order of service

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

@Test func `an app that arms while the button is down gets no fix from that press`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(2))
  #expect(bench.press(down: .seconds(1), up: .milliseconds(3900)).servedApps == [])
  #expect(bench.press(down: .seconds(5)).servedApps == [a])
}

@Test func `an app that disarms while the button is down gets no fix from that press`() {
  var bench = Bench([a: .confirmed, b: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.handle(.cancelled(SessionID(1)), at: .milliseconds(2500))
  #expect(bench.press(down: .seconds(2), up: .seconds(3)).servedApps == [])
}

@Test(arguments: [(Duration.zero, false), (.nanoseconds(-1), false), (.nanosecond, true)])
func `an arm that times out before or at the release gets no fix, even if the press is handled later`(
  left: Duration, isServed: Bool
) {
  for delay in [Duration.zero, .seconds(5)] {
    var bench = Bench([a: .confirmed])
    bench.request(1, at: .seconds(1), timeout: .seconds(2) + left)
    let effects = bench.press(down: .milliseconds(2900), up: .seconds(3), heard: .seconds(3) + delay)
    #expect((effects.servedApps == [a]) == isServed)
    #expect(effects.contains(.end(RequestID(1), .noPress)) == !isServed)
  }
}

@Test func `an app that needs no prompt comes first, independently of the order of arms`() {
  for first in [Standing.confirmed, .whenInUse, .always] {
    for second in [Standing.new, .denied] {
      var bench = Bench([a: second, b: first])
      bench.request(1, at: .seconds(1))
      bench.request(2, at: .seconds(2))
      #expect(bench.press(down: .seconds(3)).servedApps == [b])
      #expect(bench.authorization.prompt == nil)
    }
  }
}

@Test func `among equal apps, the least recently served comes first, then the first armed`() {
  var bench = Bench([a: .whenInUse, b: .whenInUse, c: .whenInUse])
  bench.request(3, at: .seconds(1))
  bench.request(1, at: .seconds(2))
  bench.request(2, at: .seconds(2))
  var order: [AppID] = []
  for round in 0..<5 {
    let time = Duration.seconds(10 + 10 * round)
    let grant = bench.press(down: time).served[0]
    order.append(grant.app)
    bench.handle(.served(grant.request), at: time + .seconds(1))
    // The app requests again immediately, so it is armed before any later request. Its turn is still last.
    bench.request(grant.session.number, at: time + .seconds(2))
  }
  #expect(order == [c, a, b, c, a])
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

@Test func `an app that cancels and requests again loses its rank among equal apps`() {
  var bench = Bench([a: .confirmed, b: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(2))
  bench.handle(.cancelled(SessionID(1)), at: .seconds(3))
  bench.request(1, at: .seconds(3))
  #expect(bench.press(down: .seconds(5)).servedApps == [b])
}

@Test func `a bound button serves only its apps, and an unbound button every app`() {
  var bench = Bench([a: .always, b: .always]) { $0.boundApps = ["side": [b]] }
  bench.request(1, at: .seconds(1))
  #expect(bench.press("side", down: .seconds(2)) == [.blip(.nothingWaiting)])
  bench.request(2, at: .seconds(3))
  #expect(bench.press("side", down: .seconds(4)).servedApps == [b])
  bench.handle(.served(RequestID(2)), at: .seconds(5))
  #expect(bench.press("main", down: .seconds(7)).servedApps == [a])
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

@Test func `a press that serves all apps serves no app that armed too late, and no restricted app`() {
  var bench = Bench([a: .confirmed, b: .confirmed, c: .confirmed]) {
    $0.pressServesAll = true
    $0.restrictedApps = [c]
  }
  bench.request(1, at: .seconds(1))
  bench.request(3, at: .seconds(1))
  bench.request(2, at: .seconds(2))
  #expect(bench.press(down: .milliseconds(2999)).servedApps == [a])
}

@Test func `the order of service is saved before an app is served, and survives a restart`() throws {
  for standing in [Standing.confirmed, .whenInUse, .new] {
    var bench = Bench([a: standing])
    bench.request(1, at: .seconds(1))
    var effects = bench.press(down: .seconds(2))
    if standing == .new { effects = bench.press(down: .seconds(4)) }
    let saved = try #require(effects.saved.first)
    #expect(effects.saved.count == 1 && saved.lastServed == 1)
    let save = try #require(effects.firstIndex(of: .save(saved)))
    #expect(Array(effects[(save + 1)...]).servedApps == [a])

    bench = Bench(records: [saved, Standing.confirmed.record(b)])
    bench.request(1, at: .seconds(10))
    bench.request(2, at: .seconds(11))
    #expect(bench.press(down: .seconds(12)).servedApps == [b])
  }
}

// MARK: Arms and grants

@Test func `an app has one arm, independently of its number of sessions`() {
  var bench = Bench([a: .confirmed])
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1))
  #expect(bench.request(1, at: .seconds(1)) == [.refuse(RequestID(2), .alreadyArmed)])
  #expect(bench.request(9, at: .seconds(1)) == [.refuse(RequestID(3), .alreadyArmed)])
  #expect(bench.press(down: .seconds(2)).served.map(\.request) == [RequestID(1)])
  #expect(
    bench.request(9, at: .seconds(3)) == [.refuse(RequestID(4), .alreadyArmed)], "no arm while a grant is in flight")
  bench.handle(.served(RequestID(1)), at: .seconds(4))
  #expect(bench.request(9, at: .seconds(5)) == [.accept(RequestID(5))])
}

@Test func `a session cannot cancel the arm of another session of its app`() {
  var bench = Bench([a: .confirmed])
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1))
  #expect(bench.handle(.cancelled(SessionID(9)), at: .seconds(2)) == [])
  #expect(bench.handle(.sessionEnded(SessionID(9)), at: .seconds(2)) == [])
  #expect(bench.press(down: .seconds(3)).served.map(\.session) == [SessionID(1)])
  #expect(bench.handle(.cancelled(SessionID(9)), at: .seconds(2)) == [])
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

@Test(arguments: [(Duration.zero, false), (.nanoseconds(-1), true), (.seconds(1), false)])
func `a press that is handled after its grant would have expired has no effect`(late: Duration, counts: Bool) {
  for standing in [Standing.confirmed, .always, .new] {
    var bench = Bench([a: standing])
    bench.request(1, at: .seconds(1))
    let effects = bench.press(down: .seconds(2), up: .seconds(3), heard: .seconds(63) + late)
    #expect((effects != []) == counts)
    #expect((bench.authorization.isArmed(a) && bench.authorization.prompt == nil) == !counts)
  }
}

@Test func `a grant ends once, with its fix, its failure or its session`() {
  let ends: [(Event, [Effect])] = [
    (.served(RequestID(1)), []), (.failed(RequestID(1)), []),
    (.cancelled(SessionID(1)), [.end(RequestID(1), .cancelled)]),
    (.sessionEnded(SessionID(1)), [.end(RequestID(1), .sessionEnded)]),
  ]
  for (event, expected) in ends {
    var bench = Bench([a: .confirmed])
    bench.request(1, at: .seconds(1))
    bench.press(down: .seconds(2))
    #expect(bench.handle(event, at: .seconds(3)) == expected)
    #expect(bench.handle(event, at: .seconds(3)) == [])
    #expect(bench.authorization.grants.isEmpty)
    #expect(bench.handle(.timePassed, at: .seconds(100)) == [])
  }
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
