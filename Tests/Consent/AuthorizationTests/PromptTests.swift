import Authorization
import Base
import LineProtocol
import Testing

/// Returns a bench with a prompt for app a, shown at 2.1 s.
private func prompting(
  _ standings: [AppID: Standing] = [:], _ configure: (inout Authorization.Configuration) -> Void = { _ in }
) -> Bench {
  var bench = Bench(standings, configure)
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  return bench
}

private let shown = Duration.milliseconds(2100)

@Test(arguments: [
  (Duration.seconds(1) - .nanosecond, false), (.seconds(1), true), (.seconds(1) + .nanosecond, true),
  (.milliseconds(999), false), (.zero, false), (.milliseconds(-99), false),
])
func `a press answers only if its down edge is at least 1 s after the prompt was shown`(
  after: Duration, answers: Bool
) {
  for standing in [Standing.new, .denied] {
    var bench = prompting([a: standing, b: .confirmed])
    bench.request(2, at: .milliseconds(2100) - .nanosecond)
    let effects = bench.press(down: shown + after, up: shown + after + .seconds(2))
    #expect(effects.servedApps == (answers ? [a] : []))
    if !answers { #expect(effects == [.blip(.nothingWaiting)]) }
    #expect((bench.authorization.prompt == nil) == answers)
  }
}

@Test func `the time of a prompt begins when it is shown, not at the press`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2), heard: .seconds(5)).shown)
  #expect(prompt.shown == at(.seconds(5)) && prompt.deadline == at(.seconds(15)))
  #expect(bench.press(down: .milliseconds(5500), heard: .milliseconds(6500)) == [.blip(.nothingWaiting)])
  #expect(bench.press(down: .seconds(7)).servedApps == [a])
}

@Test func `only the button that opened a prompt, or one bound to its app, answers it`() {
  let cases: [(String, [String: Set<AppID>], Bool)] = [
    ("main", [:], true), ("side", [:], false), ("side", ["side": [b]], false), ("side", ["side": [a, b]], true),
    ("main", ["side": [a]], true),
  ]
  for (button, bound, answers) in cases {
    var bench = prompting([b: .always]) { $0.boundApps = bound }
    bench.request(2, at: .milliseconds(2500))
    let effects = bench.press(button, down: .seconds(4))
    #expect(effects.servedApps == (answers ? [a] : []), "\(button) \(bound)")
    if !answers { #expect(effects == [.blip(.nothingWaiting)], "another button serves no app in the meantime") }
  }
}

@Test func `while a prompt is open, a press serves no armed app`() {
  var bench = prompting([b: .always])
  bench.request(2, at: .milliseconds(2200))
  #expect(bench.press(down: .seconds(3)) == [.blip(.nothingWaiting)])
  #expect(bench.press(down: .seconds(4)).servedApps == [a])
}

@Test func `the button answers one prompt at a time`() throws {
  var bench = prompting()
  let prompt = try #require(bench.authorization.prompt)
  bench.request(2, at: .milliseconds(2200))
  #expect(bench.press(down: .seconds(3)) == [.blip(.nothingWaiting)])
  #expect(bench.authorization.prompt == prompt)
}

// The ways in which a prompt closes without a press, and the app that is armed afterwards.
private let closings: [(String, Event, Duration)] = [
  ("cancelled", .cancelled(SessionID(1)), .seconds(5)), ("left", .sessionEnded(SessionID(1)), .seconds(5)),
  ("answered no elsewhere", .answered(prompt: 1, Answer(.no, showsText: true)), .seconds(5)),
  ("not answered", .timePassed, .milliseconds(12_100)),
]

@Test(arguments: [
  (Duration.seconds(1) - .nanosecond, false), (.seconds(1), true), (.seconds(1) + .nanosecond, true),
  (.milliseconds(-50), false), (.zero, false),
])
func `A9: a press within 1 s after a prompt closed without a press serves no app`(
  after: Duration, counts: Bool
) {
  for standing in [Standing.new, .always] {
    for (name, event, time) in closings {
      var bench = prompting([b: standing])
      bench.request(2, at: .seconds(3))
      bench.handle(event, at: time)
      #expect(bench.authorization.prompt == nil)
      let effects = bench.press(down: time + after)
      #expect((effects.servedApps == [b] || effects.shown?.app == b) == counts, "\(name)")
      if !counts { #expect(effects == [.blip(.nothingWaiting)], "\(name)") }
    }
  }
}

@Test func `a press that began before its prompt timed out does not serve another app`() {
  var bench = prompting([b: .always])
  bench.request(2, at: .seconds(3))
  let effects = bench.press(down: .seconds(12), up: .seconds(13))
  #expect(effects.servedApps == [] && effects.contains(.end(RequestID(1), .noPress)))
}

@Test(arguments: [(Duration.zero, false), (.nanoseconds(-1), true)])
func `a release before the deadline answers a prompt, even if it is handled later`(
  after: Duration, answers: Bool
) {
  for delay in [Duration.zero, .seconds(3)] {
    var bench = prompting()
    let up = .milliseconds(12_100) + after
    #expect((bench.press(down: .seconds(12), up: up, heard: up + delay).servedApps == [a]) == answers)
  }
}

@Test func `a prompt that its app withdraws by a cancellation, a timeout or its end counts as unanswered`() throws {
  let ends: [(Event, Duration, Ending)] = [
    (.cancelled(SessionID(1)), .seconds(4), .cancelled), (.sessionEnded(SessionID(1)), .seconds(4), .sessionEnded),
    (.timePassed, .seconds(6), .noPress),
  ]
  for (event, time, ending) in ends {
    var bench = Bench()
    bench.request(1, at: .seconds(1), timeout: .seconds(5))
    let prompt = try #require(bench.press(down: .seconds(2)).shown)
    #expect(bench.handle(event, at: time).outward == [.close(prompt, .withdrawn), .end(RequestID(1), ending)])
    #expect(
      bench.authorization.record(of: a).promptPause
        == PromptPause(until: at(time + .seconds(600)), length: .seconds(600)))
    bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(7))
    #expect(bench.request(9, at: .seconds(8)) == [.refuse(bench.last, .tooSoon(retryAfter: time + .seconds(592)))])
    #expect(bench.press(down: .seconds(20)) == [.notifyPress(nil, .nothingArmed), .blip(.nothingWaiting)])
  }
}

@Test func `an arm that times out before its prompt withdraws the prompt, even if it is handled later`() throws {
  for late in [Duration.zero, .milliseconds(6100), .seconds(60)] {
    var bench = Bench()
    bench.request(1, at: .seconds(1), timeout: .seconds(5))
    let prompt = try #require(bench.press(down: .seconds(2)).shown)
    let effects = bench.handle(.timePassed, at: .seconds(6) + late)
    #expect(effects.outward == [.close(prompt, .withdrawn), .end(RequestID(1), .noPress)])
    #expect(bench.authorization.record(of: a).promptPause?.until == at(.seconds(606)))
  }
}

@Test func `an answer without the button counts as the press that opened the prompt`() throws {
  var bench = prompting()
  let effects = bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .seconds(8))
  let grant = try #require(effects.served.first)
  #expect(grant.press?.up == at(shown) && grant.expires == at(shown + .seconds(60)))
  #expect(bench.authorization.record(of: a).isButtonConfirmed)
}

@Test func `a prompt of a late press closes when the grant of that press would expire`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2), up: .seconds(3), heard: .seconds(58)).shown)
  #expect(prompt.deadline == at(.seconds(63)))
  #expect(bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .seconds(63)).servedApps == [])
}

@Test func `an answer to a prompt that is not open has no effect`() {
  var bench = prompting()
  #expect(bench.handle(.answered(prompt: 2, Answer(.yes, showsText: true)), at: .seconds(3)) == [])
  #expect(bench.handle(.answered(prompt: 0, Answer(.no, showsText: true)), at: .seconds(3)) == [])
  bench.handle(.cancelled(SessionID(1)), at: .seconds(4))
  bench.request(2, at: .seconds(4))
  #expect(bench.press(down: .seconds(6)).shown?.app == b)
  #expect(
    bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .seconds(7)) == [],
    "a late answer is for no other prompt")
}

@Test func `an answer without the button, at or after the deadline, has no effect`() {
  for late in [Duration.zero, .nanosecond, .seconds(1)] {
    var bench = prompting()
    let effects = bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .milliseconds(12_100) + late)
    #expect(effects.servedApps == [] && !bench.authorization.record(of: a).isButtonConfirmed)
  }
}

@Test func `the pause after unanswered prompts doubles from 10 min to 24 h`() throws {
  for standing in [Standing.new, .denied] {
    var bench = Bench([a: standing])
    var time = Duration.seconds(1)
    for expected in [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 76_800, 86_400, 86_400] {
      #expect(bench.request(1, at: time) == [.accept(RequestID(bench.requests))])
      bench.press(down: time + .seconds(1))
      let closed = time + .milliseconds(11_100)
      bench.handle(.timePassed, at: closed)
      let pause = try #require(bench.authorization.record(of: a).promptPause)
      #expect(pause == PromptPause(until: at(closed + .seconds(expected)), length: .seconds(expected)))
      time = closed + .seconds(expected)
      let refused = bench.request(1, at: time - .nanosecond)
      #expect(refused == [.refuse(RequestID(bench.requests), .tooSoon(retryAfter: .nanosecond))])
    }
  }
}

@Test func `a pause holds only for its app, in all its sessions`() {
  var bench = prompting()
  bench.handle(.timePassed, at: .milliseconds(12_100))
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(13))
  #expect(bench.request(9, at: .seconds(14)) == [.refuse(RequestID(2), .tooSoon(retryAfter: .milliseconds(598_100)))])
  #expect(bench.request(2, at: .seconds(14)) == [.accept(RequestID(3))])
  #expect(bench.press(down: .seconds(15)).shown?.app == b)
}

@Test func `a pause of prompts does not affect an app that needs no prompt`() {
  for standing in [Standing.confirmed, .whenInUse, .always] {
    var record = standing.record(a)
    record.promptPause = PromptPause(until: at(.seconds(1000)), length: .seconds(600))
    var bench = Bench(records: [record])
    #expect(bench.request(1, at: .seconds(1)) == [.accept(RequestID(1))])
    #expect(bench.press(down: .seconds(2)).servedApps == [a])
  }
}

@Test func `an answer ends the pause and its doubling`() {
  var bench = prompting()
  bench.handle(.timePassed, at: .milliseconds(12_100))
  bench.request(1, at: .seconds(700))
  bench.press(down: .seconds(701))
  bench.hold(down: .seconds(703))
  #expect(bench.authorization.record(of: a).promptPause == nil)
}

@Test func `a pause survives a restart`() {
  var bench = prompting()
  let saved = bench.handle(.timePassed, at: .milliseconds(12_100)).saved
  bench = Bench(records: saved)
  #expect(bench.request(1, at: .seconds(13)) == [.refuse(RequestID(1), .tooSoon(retryAfter: .milliseconds(599_100)))])
}

@Test func `each answer is recorded before it changes a right, with the accuracy that it may choose`() throws {
  for (showsText, accuracy) in [(true, FixAccuracy.full), (false, nil)] {
    var bench = Bench(records: [AppRecord(app: a, accuracy: .reduced)])
    let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
    let effects = bench.answer(.once, accuracy: .full, showsText: showsText, at: .seconds(12))
    #expect(Array(effects.prefix(2)) == [.close(prompt, .yes), .recordAnswer(prompt, .once, accuracy)])
  }
  var bench = prompting()
  let prompt = try #require(bench.authorization.prompt)
  let effects = bench.press(down: .seconds(4))
  #expect(Array(effects.prefix(2)) == [.close(prompt, .yes), .recordAnswer(prompt, .yes, nil)])
  #expect(effects.servedApps == [a])
}
