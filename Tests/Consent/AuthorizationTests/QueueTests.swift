import AppStandings
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

/// The two down edges, the reason why the indicator is not visible at the second press, the button with a slower double
/// press, and whether the presses are a double press.
private let doublePresses:
  [(first: Duration, second: Duration, illegible: String?, configured: String?, isDouble: Bool)] = [
    (.seconds(12), .milliseconds(12_200), nil, nil, true),
    // The 10 s of the button end between the presses.
    (.milliseconds(19_800), .milliseconds(20_100), nil, nil, true),
    (.seconds(12), .milliseconds(12_200), "indicator-dark", nil, false),
    (.seconds(12), .milliseconds(12_600), nil, "main", true),
    (.seconds(12), .milliseconds(12_600), nil, "other", false),
  ]

@Test(arguments: doublePresses)
func `A7: a double press answers "while in use" if the indicator is seen, also slower at a button that permits it`(
  first: Duration, second: Duration, illegible: String?, configured: String?, isDouble: Bool
) {
  var bench = Bench { if let configured { $0.doublePress = [configured: .milliseconds(700)] } }
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.press(down: first, showsText: true)
  bench.press(down: second, illegible: illegible, showsText: true)
  #expect(bench.authorization.record(of: a).status == (isDouble ? .whenInUse : .notDetermined))
}
