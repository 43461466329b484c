import Authorization
import Base
import LineProtocol
import Testing

// The mark of a button. (A9)

extension Bench {
  /// The apps that the next press of a button serves.
  fileprivate func marked(_ button: String = "main") -> [AppID] {
    authorization.markedRequests(of: button).map(\.app)
  }
}

/// Confirmed app a is armed at 1 s. Confirmed app b, which comes before app a, is armed at 10 s.
private func overtaken(_ configure: (inout Authorization.Configuration) -> Void = { _ in }) -> Bench {
  var record = Standing.confirmed.record(a)
  record.lastServed = 1
  var bench = Bench(records: [record, Standing.confirmed.record(b)], configure)
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(10))
  return bench
}

@Test(arguments: [
  (Duration.zero, [a]), (.nanosecond, []), (.milliseconds(500), []), (.seconds(1) - .nanosecond, []),
  (.seconds(1), [b]),
])
func `A9: a press serves the app that had the mark throughout the second before the down edge`(
  after: Duration, served: [AppID]
) {
  for delay in [Duration.zero, .seconds(50)] {
    var bench = overtaken()
    #expect(bench.marked() == [b])
    let effects = bench.press(down: .seconds(10) + after, heard: .milliseconds(10_100) + after + delay)
    #expect(effects.servedApps == served)
    if served.isEmpty {
      #expect(effects == [.notifyPress(SessionID(2), .armedTooLate), .blip(.nothingWaiting)], "app a learns nothing")
    }
  }
}

@Test func `A9: a change of the mark after the down edge does not count`() {
  var bench = overtaken()
  #expect(bench.press(down: .milliseconds(9950), up: .milliseconds(10_050)).servedApps == [a])
  bench = overtaken()
  bench.handle(.cancelled(SessionID(1)), at: .milliseconds(10_010))
  #expect(
    bench.press(down: .milliseconds(9950), up: .milliseconds(10_050))
      == [.notifyPress(SessionID(2), .armedTooLate), .blip(.nothingWaiting)], "app a is no longer armed")
}

@Test func `A9: after the marked app leaves, the next app must have the mark for a second`() {
  for (after, served) in [(Duration.milliseconds(999), [AppID]()), (.seconds(1), [a])] {
    var bench = overtaken()
    bench.handle(.cancelled(SessionID(2)), at: .seconds(20))
    #expect(bench.marked() == [a])
    let effects = bench.press(down: .seconds(20) + after)
    #expect(effects.servedApps == served)
    if served.isEmpty { #expect(effects == [.blip(.nothingWaiting)], "no app receives a message") }
  }
}

@Test func `A9: a request that replaces another request of its app has a new mark`() {
  var bench = Bench([a: .confirmed])
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  bench.request(1, at: .seconds(1))
  bench.handle(.sessionLost(SessionID(1)), at: .seconds(2))
  bench.request(9, at: .seconds(3))
  #expect(bench.press(down: .milliseconds(3999)).servedApps == [])
  #expect(bench.press(down: .seconds(4)).served.map(\.session) == [SessionID(9)])
}

@Test func `A9: if a press serves all apps, an app that arms does not take the press from the others`() {
  var bench = overtaken { $0.pressServesAll = true }
  #expect(bench.marked() == [b, a])
  #expect(bench.press(down: .milliseconds(10_500)).servedApps == [a])
}

@Test func `A9: each bound button has its own mark`() {
  var bench = overtaken { $0.boundApps = ["side": [a]] }
  #expect(bench.marked() == [b] && bench.marked("side") == [a])
  #expect(bench.press("side", down: .milliseconds(10_500)).servedApps == [a])
}

@Test func `A9: after a change of the apps of a button, its mark is new`() {
  var bench = overtaken()
  var configuration = Authorization.Configuration()
  configuration.boundApps = ["side": [a]]
  bench.handle(.ordered(.configure(configuration)), at: .seconds(20))
  var other = bench
  #expect(bench.press("side", down: .milliseconds(20_999)) == [.blip(.nothingWaiting)])
  #expect(other.press("main", down: .milliseconds(20_999)) == [.blip(.nothingWaiting)])
  #expect(bench.press("side", down: .seconds(21)).servedApps == [a])
}

@Test func `A9: while the button answers a prompt, no app has the mark, and afterwards the mark is new`() {
  var bench = Bench([b: .confirmed])
  bench.request(2, at: .seconds(1), .watching)
  #expect(bench.marked() == [b])
  bench.ask(1, .whenInUse, at: .seconds(10))
  #expect(bench.marked() == [])
  var early = bench
  #expect(early.press(down: .milliseconds(10_900)) == [.blip(.nothingWaiting)], "meant for app b")
  bench.press(down: .seconds(12))
  #expect(bench.marked() == [b])
  #expect(bench.press(down: .milliseconds(13_000)) == [.blip(.nothingWaiting)], "meant for the prompt")
  #expect(bench.press(down: .milliseconds(13_100)).servedApps == [b])
}

@Test func `A9: the display beside a prompt names the app that the next press serves`() throws {
  var bench = Bench([b: .confirmed])
  bench.request(2, at: .seconds(1), .watching)
  bench.handle(.edge(at(.seconds(9))), at: .seconds(9))
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  #expect(bench.authorization.nextPress(beside: prompt, of: ["main"]) == .serves(b))
  bench.handle(.timePassed, at: .seconds(11))
  #expect(bench.authorization.nextPress(beside: prompt, of: ["main"]) == .answers)
}

@Test func `A9: the display beside a prompt names no app that a button for the prompt does not serve`() throws {
  var bench = Bench([b: .confirmed, c: .confirmed]) { $0.boundApps = ["left": [b], "right": [a, c]] }
  bench.request(2, at: .seconds(1), .watching)
  bench.request(3, at: .seconds(2), .watching)
  bench.handle(.edge(at(.seconds(9))), at: .seconds(9))
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  #expect(bench.authorization.nextPress(beside: prompt, of: ["left", "right"]) == .serves(c))
  #expect(bench.authorization.nextPress(beside: prompt, of: ["left"]) == .otherwise(.anotherButton))
  bench.handle(.timePassed, at: .seconds(11))
  #expect(bench.authorization.nextPress(beside: prompt, of: ["left", "right"]) == .answers)
}

@Test func `A9: an app gets the mark at the end of its back-off`() {
  var record = Standing.new.record(a)
  record.promptPause = PromptPause(until: at(.seconds(1000)), length: .seconds(600))
  var bench = Bench(records: [record])
  bench.request(1, at: .seconds(1), timeout: .seconds(7200), .watching)
  #expect(bench.marked() == [] && bench.authorization.nextDeadline == at(.seconds(1000)))
  var other = bench
  #expect(other.press(down: .milliseconds(1000_999)).shown == nil)
  bench.handle(.timePassed, at: .seconds(1000))
  #expect(bench.marked() == [a])
  #expect(bench.press(down: .seconds(1001)).shown?.app == a)
}
