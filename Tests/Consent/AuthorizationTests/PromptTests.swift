import Authorization
import Base
import LineProtocol
import Testing

@Test func `a prompt of a late press closes when the grant of that press would expire`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2), up: .seconds(3), heard: .seconds(58)).shown)
  #expect(prompt.deadline == at(.seconds(63)))
  #expect(bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .seconds(63)).servedApps == [])
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

@Test func `each answer is recorded before it changes a right, with the accuracy that it may choose`() throws {
  for (showsText, accuracy) in [(true, FixAccuracy.full), (false, nil)] {
    var bench = Bench(records: [AppRecord(app: a, accuracy: .reduced)])
    let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
    let effects = bench.answer(.once, accuracy: .full, showsText: showsText, at: .seconds(12))
    #expect(Array(effects.prefix(2)) == [.close(prompt, .yes), .recordAnswer(prompt, .once, accuracy)])
  }
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  let effects = bench.press(down: .seconds(4))
  #expect(Array(effects.prefix(2)) == [.close(prompt, .yes), .recordAnswer(prompt, .yes, nil)])
  #expect(effects.servedApps == [a])
}
