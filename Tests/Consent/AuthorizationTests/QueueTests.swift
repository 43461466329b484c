import Authorization
import Base
import LineProtocol
import Testing

/// The reasons for which app a's prompt waits for the button: the events before the request, and the event that ends
/// them.
private let holdups: [(Standing, [Event], Event)] = [
  (.confirmed, [], .cancelled(SessionID(2))), (.denied, [], .sessionEnded(SessionID(2))),
  (.confirmed, [.pressed(press, illegible: nil, showsText: false)], .served(RequestID(1))),
  (.whenInUse, [.pressed(press, illegible: nil, showsText: false)], .failed(RequestID(1))),
]

private let press = Press(button: "main", down: at(.seconds(2)), up: at(.milliseconds(2100)))

@Test func `an app's prompt opens on displays immediately, and the button answers it when no app is armed`() throws {
  for (standing, before, end) in holdups {
    var bench = Bench([b: standing])
    bench.request(2, at: .seconds(1))
    for event in before { bench.handle(event, at: .seconds(3)) }
    let effects = bench.ask(1, .whenInUse, at: .seconds(10))
    let prompt = try #require(effects.shown)
    #expect(effects == [.ask(bench.last), .show(prompt)])
    #expect(bench.authorization.prompts == [prompt] && bench.authorization.prompt == nil)
    #expect(bench.authorization.isAsking(a))
    bench.handle(end, at: .seconds(20))
    // After 2 s no repeated press is expected (A8).
    bench.handle(.timePassed, at: .seconds(22))
    #expect(bench.authorization.prompt == prompt)
    #expect(bench.press(down: .seconds(23)).outward == [.close(prompt, .yes), .announce(a)])
  }
}

@Test func `while an app is armed, a press serves it and answers no prompt`() {
  for isArmedFirst in [true, false] {
    var bench = Bench([b: .confirmed])
    if isArmedFirst { bench.request(2, at: .seconds(9)) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    if !isArmedFirst { bench.request(2, at: .seconds(12)) }
    #expect(bench.authorization.prompt == nil)
    #expect(bench.press(down: .seconds(13)).servedApps == [b])
    #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .notDetermined)
    #expect(bench.authorization.prompts.count == 1, "the prompt is still open")
  }
}

@Test(arguments: [(Duration.seconds(1) - .nanosecond, false), (.seconds(1), true), (.milliseconds(350), false)])
func `a press within 1 s after an arm took the button from a prompt serves no app`(after: Duration, serves: Bool) {
  var bench = Bench([b: .confirmed])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .seconds(12))
  #expect((bench.press(down: .seconds(12) + after).servedApps == [b]) == serves)
}

@Test func `the button answers an app's prompt only after 2 s without an edge`() {
  for event in [
    Event.edge(at(.seconds(9))),
    .pressed(Press(button: "x", down: at(.seconds(8)), up: at(.seconds(9))), illegible: nil, showsText: false),
  ] {
    var bench = Bench()
    bench.handle(event, at: .seconds(9))
    #expect(bench.ask(1, .whenInUse, at: .milliseconds(9500)).shown?.app == a)
    #expect(bench.authorization.nextDeadline == at(.seconds(11)))
    bench.handle(.timePassed, at: .seconds(11) - .nanosecond)
    #expect(bench.authorization.prompt == nil)
    bench.handle(.timePassed, at: .seconds(11))
    #expect(bench.authorization.prompt?.app == a)
    #expect(bench.press(down: .seconds(12) - .nanosecond) == [.blip(.nothingWaiting)])
    #expect(bench.press(down: .seconds(12)) != [])
  }
}

@Test func `the button answers a prompt for 10 s, and then the next one`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.ask(2, .whenInUse, at: .seconds(11))
  #expect(bench.authorization.prompt?.app == a)
  bench.handle(.timePassed, at: .seconds(20))
  #expect(bench.authorization.prompt?.app == b)
  #expect(
    bench.press(down: .milliseconds(20_999)) == [.blip(.nothingWaiting)], "the press was meant for the previous prompt")
  bench.handle(.timePassed, at: .seconds(30))
  #expect(bench.authorization.prompt == nil && bench.authorization.prompts.map(\.app) == [a, b])
  #expect(bench.press(down: .seconds(32)) == [.notifyPress(nil, .nothingArmed), .blip(.nothingWaiting)])
  #expect(bench.answer(.whileUsing, at: .seconds(40)).contains(.announce(a)), "displays accept an answer for 60 s")
}

@Test func `an app waits for an answer for exactly 60 s, independently of other apps`() {
  let arm = Event.requested(RequestID(90), SessionID(2), timeout: .seconds(300), requiresPress: true)
  let others: [[(Event, Duration)]] = [
    [], [(arm, .seconds(5))], [(arm, .seconds(12)), (.cancelled(SessionID(2)), .seconds(50))],
    [(.asked(RequestID(90), SessionID(2), .always), .seconds(9))],
    [(arm, .seconds(5)), (.pressed(press, illegible: nil, showsText: false), .seconds(6))],
    // A hold during another app's prompt empties the queue.
    [
      (.asked(RequestID(90), SessionID(2), .whenInUse), .seconds(9)),
      (.held(Hold(button: "main", down: at(.seconds(11)), multiple: 1)), .seconds(14)),
    ],
  ]
  for events in others {
    var bench = Bench([b: .confirmed])
    for (event, time) in events where time < .seconds(10) { bench.handle(event, at: time) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    let request = bench.last
    var heard: [Effect] = []
    for (event, time) in events where time >= .seconds(10) { heard += bench.handle(event, at: time) }
    #expect(bench.authorization.isAsking(a))
    heard += bench.handle(.timePassed, at: .seconds(70) - .nanosecond)
    #expect(bench.authorization.isAsking(a) && !heard.contains(.announce(a)) && heard.ended[request] == nil)
    let effects = bench.handle(.timePassed, at: .seconds(70))
    #expect(effects.contains(.end(request, .noPress)) && effects.contains(.announce(a)))
    #expect(!bench.authorization.isAsking(a))
  }
}

@Test func `an app that waits for "always" cannot see the reason why the button is busy`() {
  var bench = Bench([a: .provisional])
  bench.start(1, at: .seconds(10))
  #expect(bench.authorization.prompts.map(\.kind) == [.always] && !bench.authorization.isAsking(a))
}

@Test func `a press at the moment when an app's prompt appears does not answer it`() {
  for (after, answers) in [
    (Duration.seconds(1) - .nanosecond, false), (.milliseconds(-50), false), (.zero, false), (.seconds(1), true),
  ] {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    #expect((bench.press(down: .seconds(10) + after) != [.blip(.nothingWaiting)]) == answers)
    #expect((bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse) == answers)
  }
}

@Test func `no app is served by a press that was meant for another app's prompt`() {
  var bench = Bench([b: .always])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .milliseconds(10_500))
  #expect(
    bench.press(down: .milliseconds(10_900))
      == [.notifyPress(SessionID(2), .armedTooLate), .blip(.nothingWaiting)])
  bench = Bench([b: .always]) { $0.boundApps = ["side": [b]] }
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .seconds(10), .watching)
  #expect(
    bench.press("side", down: .seconds(12)) == [.blip(.nothingWaiting)],
    "a button of other apps neither answers nor serves")
}

@Test func `the button answers prompts in turn, the oldest first, one per app`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.ask(3, .whenInUse, at: .seconds(11))
  bench.ask(2, .always, at: .seconds(12))
  #expect(bench.ask(3, .always, at: .seconds(12)) == [.present(bench.last)])
  #expect(bench.authorization.prompts.map(\.app) == [a, c, b])
  for (index, app) in [a, c, b].enumerated() {
    #expect(bench.authorization.prompt?.app == app)
    bench.answer(.once, at: .seconds(13 + index))
  }
  #expect(bench.authorization.prompts.isEmpty)
}

/// The ways in which a prompt ends without an answer, and whether its app withdrew it.
private let withdrawals: [(Event, Bool)] = [
  (.cancelled(SessionID(2)), true), (.sessionEnded(SessionID(2)), true), (.ordered(.setStatus(b, .denied)), false),
]

@Test func `a prompt closes when its app cancels or ends, or when the owner changes the app`() {
  for (event, isWithdrawn) in withdrawals {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    let waiting = bench.ask(2, .whenInUse, at: .seconds(11)).shown!
    #expect(bench.handle(event, at: .seconds(12)).contains(.close(waiting, .withdrawn)))
    #expect(bench.authorization.prompts.map(\.app) == [a])
    #expect(bench.authorization.record(of: b).promptPause == nil, "no user can have seen the prompt")

    bench = Bench()
    let prompt = bench.ask(2, .whenInUse, at: .seconds(10)).shown!
    #expect(bench.handle(event, at: .seconds(12)).contains(.close(prompt, .withdrawn)))
    #expect((bench.authorization.record(of: b).promptPause != nil) == isWithdrawn)
    #expect(
      bench.press(down: .milliseconds(12_999)) == [.notifyPress(nil, .nothingArmed), .blip(.nothingWaiting)],
      "a press meant for the prompt answers nothing")
  }
}

@Test func `an app that repeatedly asks and disconnects may not ask for an hour`() {
  for (event, _) in withdrawals.prefix(2) {
    for isShownByDisplay in [false, true] {
      var bench = Bench([c: .confirmed])
      // While an app is armed, the LED does not show the prompt, but a display does.
      if isShownByDisplay {
        bench.handle(.surfacesChanged(areOpen: true), at: .seconds(1))
        bench.request(3, at: .seconds(1))
      }
      bench.ask(2, .whenInUse, at: .seconds(10))
      bench.handle(event, at: .milliseconds(10_100))
      bench.handle(.sessionOpened(SessionID(9), b), at: .seconds(11))
      #expect(
        bench.ask(9, .whenInUse, at: .seconds(12))
          == [.refuse(bench.last, .tooSoon(retryAfter: .milliseconds(3_598_100)))])
    }
  }
}

@Test func `an unanswered prompt causes a pause only if a user could answer it for 10 s`() {
  /// The times for which the button answers the prompt and a display shows it, and whether they cause a pause.
  let cases: [(Duration, Duration, Bool)] = [
    (.zero, .zero, false), (.seconds(9), .zero, false), (.seconds(10), .zero, true), (.zero, .seconds(9), false),
    (.zero, .seconds(10), true),
  ]
  for (atButton, onDisplay, isPaused) in cases {
    var bench = Bench([b: .confirmed])
    if atButton == .zero { bench.request(2, at: .seconds(1)) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    if onDisplay > .zero { bench.handle(.surfacesChanged(areOpen: true), at: .seconds(10)) }
    bench.handle(.surfacesChanged(areOpen: false), at: .seconds(10) + onDisplay)
    if atButton > .zero { bench.request(2, at: .seconds(10) + atButton) }
    bench.handle(.timePassed, at: .seconds(70))
    let pause = bench.authorization.record(of: a).promptPause
    #expect(pause == (isPaused ? PromptPause(until: at(.seconds(3670)), length: .seconds(3600)) : nil))
  }
}

@Test func `D2: a hold during a prompt answers no and empties the queue`() throws {
  var bench = Bench()
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  let second = try #require(bench.ask(2, .whenInUse, at: .seconds(11)).shown)
  let third = try #require(bench.ask(3, .always, at: .seconds(11)).shown)
  let effects = bench.hold(down: .seconds(12))
  #expect(
    Set(effects.outward)
      == [
        .close(prompt, .no), .eraseUndelivered(a), .announce(a), .close(second, .withdrawn), .close(third, .withdrawn),
      ])
  #expect(bench.authorization.status(of: a) == .denied && bench.authorization.status(of: b) == .notDetermined)
  #expect(bench.handle(.timePassed, at: .seconds(100)).shown == nil && !bench.authorization.isLocked)
  for app in [b, c] { #expect(bench.authorization.record(of: app).promptPause == nil) }
}

@Test func `D2: a hold of a button that answers no prompt is the kill switch`() {
  var bench = Bench([b: .confirmed]) { $0.boundApps = ["side": [b]] }
  bench.ask(1, .whenInUse, at: .seconds(10))
  var other = bench
  other.hold("side", down: .seconds(12))
  #expect(other.authorization.isLocked && other.authorization.status(of: a) == .notDetermined)
  bench.request(2, at: .seconds(12))
  bench.hold(down: .seconds(14))
  #expect(bench.authorization.isLocked && bench.authorization.status(of: a) == .notDetermined)
}

@Test func `D2: a hold that began before a prompt was shown is the kill switch`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.hold(down: .seconds(10) - .nanosecond)
  #expect(bench.authorization.isLocked && bench.authorization.status(of: a) == .denied)
}

@Test func `D2: a hold during a prompt and updates answers no and is the kill switch`() {
  var bench = Bench([b: .always])
  bench.start(2, at: .seconds(5))
  bench.ask(1, .whenInUse, at: .seconds(10))
  #expect(bench.hold(down: .seconds(12)).ended == [RequestID(1): .locked])
  #expect(bench.authorization.isLocked && bench.authorization.updates.isEmpty)
}

@Test func `D4: while locked, no prompt opens, nothing starts or is deferred, and earlier deferred events are dropped`()
{
  for standing in Standing.allCases {
    var bench = Bench([a: standing])
    bench.ask(1, .whenInUse, at: .seconds(1))
    bench.start(1, at: .seconds(1))
    bench.handle(.regionCrossed(a, RegionEvent(region: "home", isEntry: true)), at: .seconds(1))
    bench.handle(.lockOrdered, at: .seconds(2))
    #expect(bench.authorization.prompt == nil && bench.authorization.updates.isEmpty)
    for requested in RequestedAuthorization.allCases {
      #expect(bench.ask(1, requested, at: .seconds(3)) == [.refuse(bench.last, .locked)])
    }
    #expect(bench.start(1, at: .seconds(3)) == [.refuse(bench.last, .locked)])
    #expect(bench.request(1, at: .seconds(3), requiresPress: false) == [.refuse(bench.last, .locked)])
    #expect(bench.handle(.regionCrossed(a, RegionEvent(region: "home", isEntry: false)), at: .seconds(3)) == [])
    bench.handle(.ordered(.use(a)), at: .seconds(3))
    bench.hold(down: .seconds(10))
    #expect(!bench.authorization.isLocked && !bench.authorization.isInUse(SessionID(1)))
    #expect(bench.handle(.timePassed, at: .seconds(100)).shown == nil)
  }
}

// MARK: The double press

/// Returns a bench with app a's prompt B1, shown at 10 s, after a press from 12 s to 12.1 s, and the effects of the
/// press.
private func pressedOnce() -> (Bench, [Effect]) {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  let effects = bench.press(down: .seconds(12), showsText: true)
  return (bench, effects)
}

@Test(arguments: [
  (Duration.milliseconds(400) - .nanosecond, true), (.milliseconds(400), false), (.milliseconds(401), false),
  (.milliseconds(150), true),
])
func `if the text is shown, two presses within 400 ms mean "while in use"`(apart: Duration, isDouble: Bool) {
  var (bench, effects) = pressedOnce()
  #expect(effects == [])
  #expect(bench.authorization.nextDeadline == at(.milliseconds(12_500)))
  let up = .milliseconds(12_100) + apart
  effects = bench.press(down: up - .milliseconds(20), up: up, showsText: true)
  #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined))
  #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse)
}

@Test func `a slower double press can be configured for a single button`() {
  for (button, isDouble) in [("main", true), ("other", false)] {
    var bench = Bench { $0.doublePress = [button: .milliseconds(700)] }
    bench.ask(1, .whenInUse, at: .seconds(10))
    _ = bench.press(down: .seconds(12), showsText: true)
    _ = bench.press(down: .milliseconds(12_600), up: .milliseconds(12_700), showsText: true)
    #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined), "\(button)")
  }
}

@Test func `a press without a second press allows once`() {
  var (bench, _) = pressedOnce()
  #expect(bench.handle(.timePassed, at: .milliseconds(12_500) - .nanosecond) == [])
  bench.handle(.timePassed, at: .milliseconds(12_500))
  #expect(bench.authorization.sessions[SessionID(1)]?.allowedOnce == .full)
  #expect(bench.authorization.prompt == nil)
}

@Test func `a second press that is too late for a double press serves no other app`() {
  var (bench, _) = pressedOnce()
  bench.request(2, at: .milliseconds(12_110))
  bench.handle(.ordered(.setStatus(b, .always)), at: .milliseconds(12_111))
  bench.request(2, at: .milliseconds(12_112))
  #expect(bench.press(down: .milliseconds(12_600)).servedApps == [])
  #expect(bench.press(down: .milliseconds(13_500)).servedApps == [b])
}

@Test
func
  `a press waits for a second one only if the text is shown and the prompt offers a double press of the same button`()
{
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.press(down: .seconds(12))
  #expect(bench.authorization.sessions[SessionID(1)]?.allowedOnce == .full)

  bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(bench.press(down: .seconds(4), showsText: true).servedApps == [a])

  (bench, _) = pressedOnce()
  bench.press("side", down: .milliseconds(12_200), up: .milliseconds(12_250), showsText: true)
  bench.press(down: .milliseconds(12_260), up: .milliseconds(12_300), showsText: false)
  bench.handle(.timePassed, at: .seconds(13))
  #expect(bench.authorization.record(of: a).status == .notDetermined)
}

@Test func `a hold after the first press answers no`() {
  var (bench, _) = pressedOnce()
  bench.hold(down: .milliseconds(12_200))
  #expect(bench.authorization.isLocked, "the press had answered when the hold took effect")
  (bench, _) = pressedOnce()
  bench.handle(.held(Hold(button: "main", down: at(.milliseconds(12_150)), multiple: 1)), at: .milliseconds(12_400))
  #expect(bench.authorization.status(of: a) == .denied)
}

// MARK: Back-off

@Test func `the pause after an app's unanswered prompt doubles from 1 h to 24 h`() throws {
  var bench = Bench()
  var time = Duration.seconds(10)
  for hours in [1, 2, 4, 8, 16, 24, 24] {
    let prompt = try #require(bench.ask(1, .whenInUse, at: time).shown)
    let closed = time + .seconds(60)
    #expect(
      bench.handle(.timePassed, at: closed).outward
        == [.close(prompt, .unanswered), .end(bench.last, .noPress), .announce(a)])
    let length = Duration.seconds(3600 * hours)
    #expect(bench.authorization.record(of: a).promptPause == PromptPause(until: at(closed + length), length: length))
    time = closed + length
    #expect(
      bench.ask(1, .whenInUse, at: time - .nanosecond)
        == [.refuse(bench.last, .tooSoon(retryAfter: .nanosecond))])
  }
  bench.ask(1, .whenInUse, at: time)
  bench.answer(.no, at: time + .seconds(1))
  #expect(bench.authorization.record(of: a).promptPause == nil, "an answer ends the pause")
}

@Test func `a pause holds for all prompts that the app can cause`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.handle(.timePassed, at: .seconds(20))
  #expect(
    bench.ask(1, .whenInUse, at: .seconds(20)) == [.refuse(bench.last, .tooSoon(retryAfter: .milliseconds(592_100)))])
  bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.handle(.timePassed, at: .seconds(70))
  #expect(bench.request(1, at: .seconds(70)) == [.refuse(bench.last, .tooSoon(retryAfter: .seconds(3600)))])
}

@Test func `if the prompt of a press has no answer, the app's other prompt closes`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.ask(1, .whenInUse, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.handle(.timePassed, at: .milliseconds(12_100))
  #expect(bench.authorization.prompts.isEmpty)
  #expect(bench.handle(.timePassed, at: .seconds(61)).ended == [RequestID(2): .noPress])
}
