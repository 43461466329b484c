import Authorization
import Clocks
import Testing

@Test func `an app's prompt opens only while no app is armed`() {
  var bench = Bench([b: .confirmed])
  bench.request(2, at: .seconds(1))
  #expect(bench.ask(1, .whenInUse, at: .seconds(10)) == [.ask(bench.last)])
  #expect(bench.happen(.timePassed, at: .seconds(100)) == [])
  #expect(bench.happen(.cancelled(SessionID(2)), at: .seconds(101)).shown?.app == a)
}

@Test func `an app's prompt opens only while no grant of a press is in flight`() {
  for standing in [Standing.confirmed, .whenInUse] {
    var bench = Bench([b: standing])
    bench.request(2, at: .seconds(1))
    bench.press(down: .seconds(2))
    #expect(bench.ask(1, .whenInUse, at: .seconds(10)) == [.ask(bench.last)])
    #expect(bench.happen(.timePassed, at: .seconds(20)) == [])
    #expect(bench.happen(.served(RequestID(1)), at: .seconds(21)).shown?.app == a)
  }
}

@Test func `an app's prompt opens only when no edge came for 2 s`() {
  for event in [
    Event.edge(at(.seconds(9))),
    .pressed(Press(button: "x", down: at(.seconds(8)), up: at(.seconds(9))), illegible: nil, showsText: false),
  ] {
    var bench = Bench()
    bench.happen(event, at: .seconds(9))
    #expect(bench.ask(1, .whenInUse, at: .milliseconds(9500)) == [.ask(bench.last)])
    #expect(bench.authorization.nextDeadline == at(.seconds(11)))
    #expect(bench.happen(.timePassed, at: .seconds(11) - .nanosecond) == [])
    #expect(bench.happen(.timePassed, at: .seconds(11)).shown?.shown == at(.seconds(11)))
  }
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
  bench.request(2, at: .seconds(10))
  #expect(bench.press(down: .milliseconds(10_900)) == [])
  #expect(bench.press("side", down: .seconds(12)).servedApps == [], "an unbound button answers, and serves nobody")
  bench = Bench([b: .always]) { $0.boundApps = ["side": [b]] }
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.request(2, at: .seconds(10))
  #expect(bench.press("side", down: .seconds(12)) == [], "a button of others neither answers nor serves")
}

@Test func `prompts wait for their turn, oldest first, one per app`() {
  var bench = Bench()
  #expect(bench.ask(1, .whenInUse, at: .seconds(10)).shown?.app == a)
  #expect(bench.ask(3, .whenInUse, at: .seconds(11)) == [.ask(bench.last)])
  #expect(bench.ask(2, .always, at: .seconds(12)) == [.ask(bench.last)])
  #expect(bench.ask(3, .always, at: .seconds(12)) == [.present(bench.last)])
  #expect(bench.answer(.once, at: .seconds(13)).shown?.app == c)
  #expect(bench.answer(.no, at: .seconds(14)).shown?.app == b)
  #expect(bench.answer(.whileUsing, at: .seconds(15)).shown == nil)
}

@Test func `a prompt that waits goes with its app: cancelled, ended, or changed by the owner`() {
  let events: [Event] = [
    .cancelled(SessionID(2)), .sessionEnded(SessionID(2)), .ordered(.setStatus(b, .denied)),
  ]
  for event in events {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    bench.ask(2, .whenInUse, at: .seconds(11))
    bench.happen(event, at: .seconds(12))
    #expect(bench.answer(.once, at: .seconds(13)).shown == nil)

    bench = Bench()
    let prompt = bench.ask(2, .whenInUse, at: .seconds(10)).shown!
    #expect(bench.happen(event, at: .seconds(12)).contains(.close(prompt, .withdrawn)))
    #expect(bench.press(down: .milliseconds(12_999)) == [], "a press meant for it counts for nothing")
  }
}

@Test func `D2: a hold on a prompt says no to it and empties the queue`() throws {
  var bench = Bench()
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  bench.ask(2, .whenInUse, at: .seconds(11))
  bench.ask(3, .always, at: .seconds(11))
  let effects = bench.hold(down: .seconds(12))
  #expect(Set(effects.outward) == [.close(prompt, .no), .announce(a), .announce(b), .announce(c)])
  #expect(bench.authorization.status(of: a) == .denied && bench.authorization.status(of: b) == .notDetermined)
  #expect(bench.happen(.timePassed, at: .seconds(100)).shown == nil && !bench.authorization.isLocked)
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
    let closed = time + .seconds(10)
    #expect(bench.happen(.timePassed, at: closed).outward == [.close(prompt, .unanswered), .announce(a)])
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
  bench.happen(.timePassed, at: .seconds(20))
  #expect(bench.request(1, at: .seconds(20)) == [.refuse(bench.last, .tooSoon(retryAfter: .seconds(3600)))])
}

@Test func `a pause drops what the app has in the queue`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.ask(1, .whenInUse, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(bench.happen(.timePassed, at: .milliseconds(12_100)).contains(.announce(a)))
  #expect(bench.happen(.timePassed, at: .seconds(5000)).shown == nil)
}
