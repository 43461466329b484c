import Authorization
import Clocks
import Testing

/// What a's prompt has to wait for at the button: what happens before a asks, and what ends it.
private let holdups: [(Standing, [Event], Event)] = [
  (.confirmed, [], .cancelled(SessionID(2))), (.denied, [], .sessionEnded(SessionID(2))),
  (.confirmed, [.pressed(press, illegible: nil, showsText: false)], .served(RequestID(1))),
  (.whenInUse, [.pressed(press, illegible: nil, showsText: false)], .failed(RequestID(1))),
]

private let press = Press(button: "main", down: at(.seconds(2)), up: at(.milliseconds(2100)))

@Test func `an app's prompt opens on displays at once, and the button answers it once no app waits`() throws {
  for (standing, before, end) in holdups {
    var bench = Bench([b: standing])
    bench.request(2, at: .seconds(1))
    for event in before { bench.happen(event, at: .seconds(3)) }
    let effects = bench.ask(1, .whenInUse, at: .seconds(10))
    let prompt = try #require(effects.shown)
    #expect(effects == [.ask(bench.last), .show(prompt)])
    #expect(bench.authorization.prompts == [prompt] && bench.authorization.prompt == nil)
    #expect(bench.authorization.isAsking(a))
    bench.happen(end, at: .seconds(20))
    // An impatient second press is not to be expected any more after 2 s. (A8)
    bench.happen(.timePassed, at: .seconds(22))
    #expect(bench.authorization.prompt == prompt)
    #expect(bench.press(down: .seconds(23)).outward == [.close(prompt, .yes), .announce(a)])
  }
}

@Test func `while an app waits a press serves it, and answers no prompt`() {
  for isArmedFirst in [true, false] {
    var bench = Bench([b: .confirmed])
    if isArmedFirst { bench.request(2, at: .seconds(9)) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    if !isArmedFirst { bench.request(2, at: .seconds(12)) }
    #expect(bench.authorization.prompt == nil)
    #expect(bench.press(down: .seconds(13)).servedApps == [b])
    #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .notDetermined)
    #expect(bench.authorization.prompts.count == 1, "it is still asked")
  }
}

@Test(arguments: [(Duration.seconds(1) - .nanosecond, false), (.seconds(1), true), (.milliseconds(350), false)])
func `a press within 1 s after an arm took the button from a prompt serves nobody`(after: Duration, serves: Bool) {
  var bench = Bench([b: .confirmed])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .seconds(12))
  #expect((bench.press(down: .seconds(12) + after).servedApps == [b]) == serves)
}

@Test func `the button answers an app's prompt only when no edge came for 2 s`() {
  for event in [
    Event.edge(at(.seconds(9))),
    .pressed(Press(button: "x", down: at(.seconds(8)), up: at(.seconds(9))), illegible: nil, showsText: false),
  ] {
    var bench = Bench()
    bench.happen(event, at: .seconds(9))
    #expect(bench.ask(1, .whenInUse, at: .milliseconds(9500)).shown?.app == a)
    #expect(bench.authorization.nextDeadline == at(.seconds(11)))
    bench.happen(.timePassed, at: .seconds(11) - .nanosecond)
    #expect(bench.authorization.prompt == nil)
    bench.happen(.timePassed, at: .seconds(11))
    #expect(bench.authorization.prompt?.app == a && bench.authorization.turnBegan == at(.seconds(11)))
    #expect(bench.press(down: .seconds(12) - .nanosecond) == [])
    #expect(bench.press(down: .seconds(12)) != [])
  }
}

@Test func `the button answers a prompt for 10 s, and goes on to the next`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.ask(2, .whenInUse, at: .seconds(11))
  #expect(bench.authorization.prompt?.app == a)
  bench.happen(.timePassed, at: .seconds(20))
  #expect(bench.authorization.prompt?.app == b)
  #expect(bench.press(down: .milliseconds(20_999)) == [], "it was meant for the one before")
  bench.happen(.timePassed, at: .seconds(30))
  #expect(bench.authorization.prompt == nil && bench.authorization.prompts.map(\.app) == [a, b])
  #expect(bench.press(down: .seconds(32)) == [.tellPress(nil, .nothingArmed), .blip(.nothingWaiting)])
  #expect(bench.answer(.whileUsing, at: .seconds(40)).contains(.announce(a)), "displays take an answer for 60 s")
}

@Test func `its app waits for an answer for exactly 60 s, whatever other apps do`() {
  let arm = Event.requested(RequestID(90), SessionID(2), timeout: .seconds(300), requiresPress: true)
  let others: [[(Event, Duration)]] = [
    [], [(arm, .seconds(5))], [(arm, .seconds(12)), (.cancelled(SessionID(2)), .seconds(50))],
    [(.asked(RequestID(90), SessionID(2), .always), .seconds(9))],
    [(arm, .seconds(5)), (.pressed(press, illegible: nil, showsText: false), .seconds(6))],
    // A hold on another app's prompt empties the queue.
    [
      (.asked(RequestID(90), SessionID(2), .whenInUse), .seconds(9)),
      (.held(Hold(button: "main", down: at(.seconds(11)), multiple: 1)), .seconds(14)),
    ],
  ]
  for events in others {
    var bench = Bench([b: .confirmed])
    for (event, time) in events where time < .seconds(10) { bench.happen(event, at: time) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    let request = bench.last
    var heard: [Effect] = []
    for (event, time) in events where time >= .seconds(10) { heard += bench.happen(event, at: time) }
    #expect(bench.authorization.isAsking(a))
    heard += bench.happen(.timePassed, at: .seconds(70) - .nanosecond)
    #expect(bench.authorization.isAsking(a) && !heard.contains(.announce(a)) && heard.ended[request] == nil)
    let effects = bench.happen(.timePassed, at: .seconds(70))
    #expect(effects.contains(.end(request, .noPress)) && effects.contains(.announce(a)))
    #expect(!bench.authorization.isAsking(a))
  }
}

@Test func `what holds up the button shows nothing to an app that waits for "always"`() {
  var bench = Bench([a: .provisional])
  bench.start(1, at: .seconds(10))
  #expect(bench.authorization.prompts.map(\.kind) == [.always] && !bench.authorization.isAsking(a))
}

@Test func `who presses when an app's prompt appears has not answered it`() {
  for (after, answers) in [
    (Duration.seconds(1) - .nanosecond, false), (.milliseconds(-50), false), (.zero, false), (.seconds(1), true),
  ] {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    #expect((bench.press(down: .seconds(10) + after) != []) == answers)
    #expect((bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse) == answers)
  }
}

@Test func `no app gets a press that was meant for another's prompt`() {
  var bench = Bench([b: .always])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .milliseconds(10_500))
  #expect(bench.press(down: .milliseconds(10_900)) == [])
  bench = Bench([b: .always]) { $0.boundApps = ["side": [b]] }
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .seconds(10), isImplicit: true)
  #expect(bench.press("side", down: .seconds(12)) == [], "a button of others neither answers nor serves")
}

@Test func `prompts wait for their turn at the button, oldest first, one per app`() {
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

/// How a prompt can end before it is answered, and whether its app withdrew it.
private let withdrawals: [(Event, Bool)] = [
  (.cancelled(SessionID(2)), true), (.sessionEnded(SessionID(2)), true), (.ordered(.setStatus(b, .denied)), false),
]

@Test func `a prompt goes with its app: cancelled, ended, or changed by the owner`() {
  for (event, isWithdrawn) in withdrawals {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    let waiting = bench.ask(2, .whenInUse, at: .seconds(11)).shown!
    #expect(bench.happen(event, at: .seconds(12)).contains(.close(waiting, .withdrawn)))
    #expect(bench.authorization.prompts.map(\.app) == [a])
    #expect(bench.authorization.record(of: b).promptPause == nil, "no person can have seen it")

    bench = Bench()
    let prompt = bench.ask(2, .whenInUse, at: .seconds(10)).shown!
    #expect(bench.happen(event, at: .seconds(12)).contains(.close(prompt, .withdrawn)))
    #expect((bench.authorization.record(of: b).promptPause != nil) == isWithdrawn)
    #expect(bench.press(down: .milliseconds(12_999)) == [], "a press meant for it counts for nothing")
  }
}

@Test func `an app that asks and leaves again and again may not ask for an hour`() {
  for (event, _) in withdrawals.prefix(2) {
    for isShownByDisplay in [false, true] {
      var bench = Bench([c: .confirmed])
      // Where an app is armed, the LED shows no prompt: a display does.
      if isShownByDisplay {
        bench.happen(.surfacesChanged(areOpen: true), at: .seconds(1))
        bench.request(3, at: .seconds(1))
      }
      bench.ask(2, .whenInUse, at: .seconds(10))
      bench.happen(event, at: .milliseconds(10_100))
      bench.happen(.sessionOpened(SessionID(9), b), at: .seconds(11))
      #expect(
        bench.ask(9, .whenInUse, at: .seconds(12))
          == [.refuse(bench.last, .tooSoon(retryAfter: .milliseconds(3_598_100)))])
    }
  }
}

@Test func `no answer within 60 s causes a pause only if a person could answer for 10 s`() {
  /// The button answers for so long; a display shows it for so long.
  let cases: [(Duration, Duration, Bool)] = [
    (.zero, .zero, false), (.seconds(9), .zero, false), (.seconds(10), .zero, true), (.zero, .seconds(9), false),
    (.zero, .seconds(10), true),
  ]
  for (atButton, onDisplay, isPaused) in cases {
    var bench = Bench([b: .confirmed])
    if atButton == .zero { bench.request(2, at: .seconds(1)) }
    bench.ask(1, .whenInUse, at: .seconds(10))
    if onDisplay > .zero { bench.happen(.surfacesChanged(areOpen: true), at: .seconds(10)) }
    bench.happen(.surfacesChanged(areOpen: false), at: .seconds(10) + onDisplay)
    if atButton > .zero { bench.request(2, at: .seconds(10) + atButton) }
    bench.happen(.timePassed, at: .seconds(70))
    let pause = bench.authorization.record(of: a).promptPause
    #expect(pause == (isPaused ? PromptPause(until: at(.seconds(3670)), length: .seconds(3600)) : nil))
  }
}

@Test func `D2: a hold on a prompt says no to it and empties the queue`() throws {
  var bench = Bench()
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  let second = try #require(bench.ask(2, .whenInUse, at: .seconds(11)).shown)
  let third = try #require(bench.ask(3, .always, at: .seconds(11)).shown)
  let effects = bench.hold(down: .seconds(12))
  #expect(
    Set(effects.outward)
      == [.close(prompt, .no), .announce(a), .close(second, .withdrawn), .close(third, .withdrawn)])
  #expect(bench.authorization.status(of: a) == .denied && bench.authorization.status(of: b) == .notDetermined)
  #expect(bench.happen(.timePassed, at: .seconds(100)).shown == nil && !bench.authorization.isLocked)
  for app in [b, c] { #expect(bench.authorization.record(of: app).promptPause == nil) }
}

@Test func `D2: a hold of a button that answers no prompt now is the kill switch`() {
  var bench = Bench([b: .confirmed]) { $0.boundApps = ["side": [b]] }
  bench.ask(1, .whenInUse, at: .seconds(10))
  var other = bench
  other.hold("side", down: .seconds(12))
  #expect(other.authorization.isLocked && other.authorization.status(of: a) == .notDetermined)
  bench.request(2, at: .seconds(12))
  bench.hold(down: .seconds(14))
  #expect(bench.authorization.isLocked && bench.authorization.status(of: a) == .notDetermined)
}

@Test func `D2: a hold that began before a prompt was shown is the kill switch: none was open`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.hold(down: .seconds(10) - .nanosecond)
  #expect(bench.authorization.isLocked && bench.authorization.status(of: a) == .denied)
}

@Test func `D2: a hold on a prompt while updates run says no and is the kill switch`() {
  var bench = Bench([b: .always])
  bench.start(2, at: .seconds(5))
  bench.ask(1, .whenInUse, at: .seconds(10))
  #expect(bench.hold(down: .seconds(12)).ended == [RequestID(1): .locked])
  #expect(bench.authorization.isLocked && bench.authorization.updates.isEmpty)
}

@Test func `D4: while locked nothing is asked, started or held, and what waited is gone`() {
  for standing in Standing.allCases {
    var bench = Bench([a: standing])
    bench.ask(1, .whenInUse, at: .seconds(1))
    bench.start(1, at: .seconds(1))
    bench.happen(.regionCrossed(a, RegionEvent(region: "home", isEntry: true)), at: .seconds(1))
    bench.happen(.lockOrdered, at: .seconds(2))
    #expect(bench.authorization.prompt == nil && bench.authorization.updates.isEmpty)
    for wish in Wish.allCases { #expect(bench.ask(1, wish, at: .seconds(3)) == [.refuse(bench.last, .locked)]) }
    #expect(bench.start(1, at: .seconds(3)) == [.refuse(bench.last, .locked)])
    #expect(bench.request(1, at: .seconds(3), requiresPress: false) == [.refuse(bench.last, .locked)])
    #expect(bench.happen(.regionCrossed(a, RegionEvent(region: "home", isEntry: false)), at: .seconds(3)) == [])
    bench.happen(.ordered(.use(a)), at: .seconds(3))
    bench.hold(down: .seconds(10))
    #expect(!bench.authorization.isLocked && !bench.authorization.isInUse(SessionID(1)))
    #expect(bench.happen(.timePassed, at: .seconds(100)).shown == nil)
  }
}

// MARK: The double press

/// a's prompt B1, shown at 10 s, after a press from 12 s to 12.1 s.
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
func `where the text is shown two presses within 400 ms mean "while in use"`(apart: Duration, isDouble: Bool) {
  var (bench, effects) = pressedOnce()
  #expect(effects == [])
  #expect(bench.authorization.nextDeadline == at(.milliseconds(12_500)))
  let up = .milliseconds(12_100) + apart
  effects = bench.press(down: up - .milliseconds(20), up: up, showsText: true)
  #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined))
  #expect(bench.authorization.visibleStatus(of: a, in: SessionID(1)) == .whenInUse)
}

@Test func `a slower double press may be configured for a button, and holds for that one only`() {
  for (button, isDouble) in [("main", true), ("other", false)] {
    var bench = Bench { $0.doublePress = [button: .milliseconds(700)] }
    bench.ask(1, .whenInUse, at: .seconds(10))
    _ = bench.press(down: .seconds(12), showsText: true)
    _ = bench.press(down: .milliseconds(12_600), up: .milliseconds(12_700), showsText: true)
    #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined), "\(button)")
  }
}

@Test func `a press that waits for a second one allows once when none comes`() {
  var (bench, _) = pressedOnce()
  #expect(bench.happen(.timePassed, at: .milliseconds(12_500) - .nanosecond) == [])
  bench.happen(.timePassed, at: .milliseconds(12_500))
  #expect(bench.authorization.sessions[SessionID(1)]?.allowedOnce == .full)
  #expect(bench.authorization.prompt == nil)
}

@Test func `a second press that came too late to be double serves nobody else`() {
  var (bench, _) = pressedOnce()
  bench.request(2, at: .milliseconds(12_110))
  bench.happen(.ordered(.setStatus(b, .always)), at: .milliseconds(12_111))
  bench.request(2, at: .milliseconds(12_112))
  #expect(bench.press(down: .milliseconds(12_600)).servedApps == [])
  #expect(bench.press(down: .milliseconds(13_500)).servedApps == [b])
}

@Test func `no press waits where the text is not shown or no second is offered, and no other button is a second`() {
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
  bench.happen(.timePassed, at: .seconds(13))
  #expect(bench.authorization.record(of: a).status == .notDetermined)
}

@Test func `a hold after the first press says no`() {
  var (bench, _) = pressedOnce()
  bench.hold(down: .milliseconds(12_200))
  #expect(bench.authorization.isLocked, "the press had answered when the hold took effect")
  (bench, _) = pressedOnce()
  bench.happen(.held(Hold(button: "main", down: at(.milliseconds(12_150)), multiple: 1)), at: .milliseconds(12_400))
  #expect(bench.authorization.status(of: a) == .denied)
}

// MARK: Back-off

@Test func `the pause after an app's prompt that nobody answered doubles from 1 h to 24 h`() throws {
  var bench = Bench()
  var time = Duration.seconds(10)
  for hours in [1, 2, 4, 8, 16, 24, 24] {
    let prompt = try #require(bench.ask(1, .whenInUse, at: time).shown)
    let closed = time + .seconds(60)
    #expect(
      bench.happen(.timePassed, at: closed).outward
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
  #expect(bench.authorization.record(of: a).promptPause == nil, "an answer ends it")
}

@Test func `a pause holds for every prompt that the app may cause`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.happen(.timePassed, at: .seconds(20))
  #expect(
    bench.ask(1, .whenInUse, at: .seconds(20)) == [.refuse(bench.last, .tooSoon(retryAfter: .milliseconds(592_100)))])
  bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.happen(.timePassed, at: .seconds(70))
  #expect(bench.request(1, at: .seconds(70)) == [.refuse(bench.last, .tooSoon(retryAfter: .seconds(3600)))])
}

@Test func `a press that nobody confirms closes what else the app asks`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.ask(1, .whenInUse, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.happen(.timePassed, at: .milliseconds(12_100))
  #expect(bench.authorization.prompts.isEmpty)
  #expect(bench.happen(.timePassed, at: .seconds(61)).ended == [RequestID(2): .noPress])
}
