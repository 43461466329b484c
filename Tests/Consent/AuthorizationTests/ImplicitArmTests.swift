import Authorization
import Base
import LineProtocol
import Testing

@Test func `a press serves an implicit arm if there is no explicit request`() {
  var bench = Bench([a: .confirmed])
  #expect(bench.request(1, at: .seconds(1), .watching) == [.accept(RequestID(1))])
  #expect(bench.press(down: .seconds(2)).servedApps == [a])
  #expect(bench.authorization.arms.isEmpty, "a request gets one fix")
}

@Test(arguments: [Standing.confirmed, .whenInUse, .new, .denied])
func `an implicit arm comes after every explicit request, even one that needs a prompt`(other: Standing) {
  for claimant in [Standing.confirmed, .whenInUse, .always] {
    var bench = Bench([a: claimant, b: other])
    bench.request(1, at: .seconds(1), .watching)
    bench.request(2, at: .seconds(2))
    let effects = bench.press(down: .seconds(3))
    #expect(effects.servedApps == [b] || effects.shown?.app == b)
    #expect(bench.authorization.isArmed(a))
  }
}

@Test func `a press that serves all apps also serves implicit arms, and each app once`() {
  var bench = Bench([a: .confirmed, b: .confirmed]) { $0.pressServesAll = true }
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1), .watching)
  bench.request(9, at: .seconds(1), .watching)
  bench.request(2, at: .seconds(1))
  #expect(bench.press(down: .seconds(2)).served.map(\.session) == [SessionID(2), SessionID(1)])
}

@Test func `an implicit arm delays no prompt, and a press answers the prompt`() {
  var bench = Bench([b: .confirmed])
  bench.request(2, at: .seconds(1), .watching)
  #expect(bench.ask(1, .whenInUse, at: .seconds(10)).shown?.app == a)
  #expect(bench.press(down: .seconds(12)).servedApps == [])
  #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse)
}

@Test(arguments: [(Duration.seconds(3601), Duration.seconds(3601)), (.seconds(90_000), .seconds(86_400))])
func `an implicit arm lasts while its client watches, 24 h at most`(timeout: Duration, expected: Duration) {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1), timeout: timeout, .watching)
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
  bench.request(1, at: .seconds(1), .watching)
  #expect(bench.request(1, at: .seconds(1), .watching) == [.refuse(RequestID(2), .alreadyArmed)])
  #expect(
    bench.request(1, at: .seconds(1)) == [.refuse(RequestID(3), .alreadyArmed)], "this session already has a request")
  #expect(bench.request(9, at: .seconds(1)) == [.accept(RequestID(4))])
  #expect(bench.press(down: .seconds(2)).served.map(\.session) == [SessionID(9)])
  bench.handle(.served(RequestID(4)), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(4), .watching) == [.accept(RequestID(5))])
  #expect(bench.press(down: .seconds(6)).served.map(\.session) == [SessionID(1)], "the first armed app")
}

@Test func `an unanswered prompt for an implicit arm leaves the arm, and no press opens another prompt`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1), timeout: .seconds(86_400), .watching)
  #expect(bench.press(down: .seconds(2)).shown?.kind == .confirm)
  #expect(bench.handle(.timePassed, at: .milliseconds(12_100)).ended == [:])
  #expect(bench.press(down: .seconds(20)).shown == nil, "the app may cause no prompt for 10 min")
  #expect(bench.press(down: .seconds(700)).shown?.kind == .confirm)
}

@Test func `an app with a pause of prompts may watch, and presses ignore it until the pause ends`() {
  var record = Standing.new.record(a)
  record.promptPause = PromptPause(until: at(.seconds(1000)), length: .seconds(600))
  var bench = Bench(records: [record])
  #expect(bench.request(1, at: .seconds(1), timeout: .seconds(7200), .watching) == [.accept(RequestID(1))])
  #expect(bench.press(down: .seconds(2)).shown == nil)
  #expect(bench.press(down: .seconds(1001)).shown?.app == a)
}

@Test func `the receiver starts early for an implicit arm only if no explicit request comes first`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1), .watching)
  #expect(bench.authorization.expectsPress(of: "main", down: at(.seconds(2))))
  bench.request(2, at: .seconds(1))
  #expect(!bench.authorization.expectsPress(of: "main", down: at(.seconds(2))), "the press opens a prompt")
}

// MARK: Denied apps

/// The ways in which an app can come to the status `denied` or `restricted`.
enum Denial: CaseIterable {
  case byOwner, byHold, byAnswer, byConfiguration
}

@Test(arguments: Denial.allCases)
func `a denied app has no implicit request, and waits again when an owner allows it`(denial: Denial) {
  for kind in [RequestKind.watching, .polling] {
    var bench = Bench()
    bench.request(1, at: .seconds(1), kind)
    switch denial {
    case .byOwner:
      #expect(bench.handle(.ordered(.setStatus(a, .denied)), at: .seconds(5)).ended == [RequestID(1): .changed])
    case .byHold, .byAnswer:
      #expect(bench.press(down: .seconds(3)).shown?.kind == .confirm)
      let ended = denial == .byHold ? bench.hold(down: .seconds(4)) : bench.answer(.no, at: .seconds(5))
      #expect(ended.ended == [RequestID(1): .denied])
    case .byConfiguration:
      var configuration = Authorization.Configuration()
      configuration.restrictedApps = [a]
      #expect(bench.handle(.ordered(.configure(configuration)), at: .seconds(5)).ended == [RequestID(1): .changed])
    }
    #expect(bench.authorization.arms.isEmpty && bench.authorization.markedRequests(of: "main").isEmpty)
    // The client connects again, or its server asks again.
    let refusal: Refusal = denial == .byConfiguration ? .restricted : .denied
    #expect(bench.request(1, at: .seconds(20), kind) == [.refuse(RequestID(2), refusal)])
    let effects = bench.press(down: .seconds(25))
    #expect(effects.shown == nil)
    #expect(effects.contains(.notifyPress(nil, .nothingArmed)), "no app waits")
    // An owner allows the app again. Its sessions receive the new authorization, and ask again.
    let allowed =
      denial == .byConfiguration
      ? bench.handle(.ordered(.configure(Authorization.Configuration())), at: .seconds(30))
      : bench.handle(.ordered(.reset(a)), at: .seconds(30))
    #expect(allowed.contains(.announce(a)))
    #expect(bench.request(1, at: .seconds(31), kind) == [.accept(RequestID(3))])
    #expect(bench.authorization.markedRequests(of: "main").map(\.app) == [a])
    #expect(bench.press(down: .seconds(31.5)).shown == nil, "the mark is new (A9)")
    #expect(bench.press(down: .seconds(33)).shown?.kind == .confirm)
  }
}

@Test func `an app that is denied from the start has no implicit request, and its explicit request opens a question`() {
  var bench = Bench([a: .denied])
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  #expect(bench.request(1, at: .seconds(1), .watching) == [.refuse(RequestID(1), .denied)])
  #expect(bench.request(9, at: .seconds(1)) == [.accept(RequestID(2))])
  #expect(bench.request(1, at: .seconds(2), .watching) == [.refuse(RequestID(3), .denied)], "the other request stays")
  #expect(bench.press(down: .seconds(3)).shown?.kind == .introduce)
  let effects = bench.press(down: .seconds(4.5))
  #expect(effects.served.map(\.session) == [SessionID(9)])
  #expect(effects.contains(.announce(a)), "the watching client may wait again")
  #expect(bench.request(1, at: .seconds(5), .watching) == [.accept(RequestID(4))])
}

// MARK: Clients that poll

@Test func `a client that polls delays other apps for 2 s and no longer, whether its fix was chosen or not`() {
  for chosen in [Duration.milliseconds(2150), .milliseconds(3900), nil] {
    for (down, isServed) in [(Duration.milliseconds(4100) - .nanosecond, false), (.milliseconds(4100), true)] {
      var bench = Bench([a: .confirmed, b: .confirmed])
      bench.request(1, at: .seconds(0.5), .polling)
      #expect(bench.press(down: .seconds(2)).served.map(\.expires) == [at(.milliseconds(4100))])
      bench.request(2, at: .milliseconds(2110))
      if let chosen { bench.handle(.served(RequestID(1)), at: chosen) }
      let effects = bench.press(down: down)
      #expect(effects.servedApps == (isServed ? [b] : []))
      #expect(effects.contains(.blip(.acquiring)) != isServed)
    }
  }
}

@Test func `a client that polls gets no fix if the receiver has none within 2 s`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(0.5), .polling)
  bench.press(down: .seconds(2))
  #expect(bench.authorization.nextDeadline == at(.milliseconds(4100)))
  #expect(bench.handle(.timePassed, at: .milliseconds(4100)).ended == [RequestID(1): .expired])
}

@Test func `an answer without the button gives a client that polls its 2 s from the answer`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1), .polling)
  bench.press(down: .seconds(3))
  #expect(bench.answer(.yes, at: .seconds(11)).served.map(\.expires) == [at(.seconds(13))])
  #expect(bench.handle(.timePassed, at: .seconds(13)).ended == [RequestID(1): .expired])
}
