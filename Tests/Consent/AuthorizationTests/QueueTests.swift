import Authorization
import Base
import LineProtocol
import Testing

private let press = Press(button: "main", down: at(.seconds(2)), up: at(.milliseconds(2100)))

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

@Test func `an app that repeatedly asks and disconnects may not ask for an hour`() {
  for event in [Event.cancelled(SessionID(2)), .sessionEnded(SessionID(2))] {
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

@Test func `A7: while the indicator cannot be seen, a double press does not answer "while in use"`() {
  for (illegible, isDouble) in [(nil, true), ("indicator-dark", false)] {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    bench.press(down: .seconds(12), showsText: true)
    bench.press(down: .milliseconds(12_200), up: .milliseconds(12_300), illegible: illegible, showsText: true)
    #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined))
  }
}

@Test func `a double press also counts if the 10 s of the button end between its presses`() {
  var bench = Bench()
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.press(down: .milliseconds(19_800), showsText: true)
  bench.press(down: .milliseconds(20_100), showsText: true)
  #expect(bench.authorization.record(of: a).status == .whenInUse)
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
