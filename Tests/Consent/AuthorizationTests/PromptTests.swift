import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

@Test func `an answer has no effect on a prompt that nobody has seen yet`() throws {
  var record = Standing.provisional.record(a)
  record.accuracy = .reduced
  var bench = Bench(records: [record])
  bench.handle(.sessionOpened(SessionID(4), a), at: .seconds(1))
  // The request of the app b keeps the button, so the prompt about full accuracy ends without a pause.
  bench.request(2, at: .seconds(9))
  let precise = try #require(bench.ask(4, .fullAccuracy, at: .seconds(10)).shown)
  bench.start(1, at: .seconds(20))
  bench.handle(.sessionLost(SessionID(4)), at: .seconds(21))
  let end = try #require(bench.authorization.nextDeadline)
  // At this instant, the first prompt ends with its session, and the updates that wait cause the next prompt.
  let answer = Event.answered(prompt: precise.id + 1, Answer(.always, showsText: true))
  #expect(bench.authorization.handle(answer, at: end).shown?.kind == .always)
  #expect(bench.authorization.record(of: a).status == .whenInUse)
  _ = bench.authorization.handle(answer, at: end)
  #expect(bench.authorization.record(of: a).status == .always)
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

@Test func `each answer is recorded before it changes a right`() throws {
  var bench = Bench()
  var prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  #expect(bench.answer(.whileUsing, at: .seconds(12)).first == .recordAnswer(prompt, .whileUsing, nil))
  bench = Bench()
  bench.request(1, at: .seconds(1))
  prompt = try #require(bench.press(down: .seconds(2)).shown)
  #expect(bench.press(down: .seconds(4)).first == .recordAnswer(prompt, .yes, nil))
}

@Test func `a use of the light after the first press of a double press leaves the answer of the first press`() throws {
  var bench = Bench()
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  bench.press(down: .seconds(12), showsText: true)
  bench.handle(.useShown(until: at(.seconds(15))), at: .milliseconds(12_150))
  #expect(bench.press(down: .milliseconds(12_200), showsText: true) == [.blip(.nothingWaiting)])
  #expect(bench.handle(.timePassed, at: .milliseconds(12_500)).contains(.recordAnswer(prompt, .once, nil)))
}

@Test func `D2: a hold while the light shows a use answers no prompt, and is the kill switch`() throws {
  var bench = Bench()
  let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
  bench.handle(.useShown(until: at(.seconds(30))), at: .seconds(12))
  #expect(bench.hold(down: .seconds(13)).contains(.close(prompt, .locked)))
  #expect(bench.authorization.isLocked && bench.authorization.status(of: a) == .notDetermined)
  // The lock ends the use, so the button answers a prompt after the unlock.
  bench.hold(down: .seconds(17))
  bench.ask(1, .whenInUse, at: .seconds(23))
  #expect(bench.authorization.prompt?.app == a)
}

@Test func `an answer that changes no right pauses the prompts about the app, so that no chain of prompts follows`()
  throws
{
  for choice in [PromptChoice.keep, .no] {
    var bench = Bench(records: [AppRecord(app: a, status: .whenInUse, accuracy: .reduced)])
    for (time, expected) in [(Duration.seconds(10), Duration.seconds(3600)), (.seconds(3620), .seconds(7200))] {
      bench.ask(1, .fullAccuracy, at: time)
      bench.answer(choice, at: time + .seconds(2))
      let again = bench.ask(1, .fullAccuracy, at: time + .seconds(3))
      #expect(again == [.refuse(bench.last, .tooSoon(retryAfter: expected - .seconds(1)))])
    }
    bench.ask(1, .fullAccuracy, at: .seconds(20_000))
    bench.answer(.yes, at: .seconds(20_002))
    #expect(bench.authorization.record(of: a).promptPause == nil, "another answer ends the pause")
  }
  var bench = Bench([a: .denied])
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.hold(down: .seconds(4))
  #expect(bench.request(1, at: .seconds(8)) == [.refuse(bench.last, .tooSoon(retryAfter: .seconds(599)))])
}

@Test func `an app does not avoid the pause by requests that take the button from its prompts`() {
  var bench = Bench()
  bench.handle(.sessionOpened(SessionID(9), a), at: .zero)
  for (start, isPaused) in [(Duration.seconds(10), false), (.seconds(100), true)] {
    // The request of the other session keeps the button until 6 s before the end of the prompt.
    bench.request(9, at: start, timeout: .seconds(54))
    bench.ask(1, .whenInUse, at: start)
    bench.handle(.timePassed, at: start + .seconds(54))
    bench.handle(.timePassed, at: start + .seconds(60))
    #expect((bench.authorization.record(of: a).promptPause != nil) == isPaused)
  }
}
