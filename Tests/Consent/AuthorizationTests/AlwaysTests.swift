import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

/// Returns the effects that an app can observe: all except prompts, saved records, and withheld fixes.
private func observed(_ effects: [Effect]) -> [Effect] {
  effects.filter {
    switch $0 {
    case .save, .show, .close, .recordAnswer, .withhold, .checkLegibility, .notifyOwners: false
    default: true
    }
  }
}

@Test(arguments: [true, false])
func `B5: the app receives the same, with or without a prompt or an answer`(isUpdates: Bool) {
  var views: [[Effect]] = []
  for standing in [Standing.provisional, .refused] {
    for choice in [PromptChoice.no, .keep, nil] {
      var bench = Bench([a: standing])
      var view: [Effect] = []
      view += observed(
        isUpdates ? bench.start(1, at: .seconds(10)) : bench.request(1, at: .seconds(10), requiresPress: false))
      if let choice { view += observed(bench.answer(choice, at: .seconds(12))) }
      view += observed(bench.ask(1, .always, at: .seconds(30)))
      view += observed(bench.handle(.regionCrossed(a, RegionEvent(region: "home", isEntry: true)), at: .seconds(31)))
      view += observed(bench.handle(.timePassed, at: .seconds(100)))
      views.append(view)
    }
  }
  #expect(Set(views).count == 1)
}

@Test(arguments: [(Duration.seconds(86_412), true), (.seconds(86_412) - .nanosecond, false)])
func `B5: the app goes on seeing always until its first HELLO at least 24 h later`(hello: Duration, seesIt: Bool) {
  for isResumed in [true, false] {
    var bench = Bench([a: .provisional])
    bench.start(1, at: .seconds(10))
    bench.answer(.no, at: .seconds(12))
    #expect(
      observed(bench.handle(.timePassed, at: hello)) == [.end(RequestID(1), .expired)],
      "without HELLO there is no announcement")
    let effects = bench.handle(isResumed ? .sessionResumed(SessionID(1)) : .sessionOpened(SessionID(9), a), at: hello)
    #expect((observed(effects) == [.announce(a)]) == seesIt)
    #expect(bench.authorization.visibleStatus(of: a) == (seesIt ? .whenInUse : .always))
  }
}
