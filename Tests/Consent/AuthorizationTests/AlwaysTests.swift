import Authorization
import Base
import LineProtocol
import Testing

private let session = SessionID(1)
private let crossing = RegionEvent(region: "home", isEntry: true)

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
      view += observed(bench.handle(.regionCrossed(a, crossing), at: .seconds(31)))
      view += observed(bench.handle(.timePassed, at: .seconds(100)))
      views.append(view)
    }
  }
  #expect(Set(views).count == 1)
}

/// A request for full accuracy opens a prompt of its own, which a pause after the prompt for "always" would refuse.
@Test(arguments: [true, false])
func `B5: a request for full accuracy has the same answer, with or without a prompt for "always" before it`(
  isWithdrawn: Bool
) {
  var answers: [[Effect]] = []
  for standing in [Standing.provisional, .always, .refused] {
    var record = standing.record(a)
    record.accuracy = .reduced
    var bench = Bench(records: [record])
    bench.handle(.surfacesChanged(areOpen: true), at: .seconds(9))
    bench.start(1, at: .seconds(10))
    if isWithdrawn {
      bench.handle(.stopped(session), at: .seconds(13))
    } else {
      bench.handle(.timePassed, at: .seconds(75))
    }
    answers.append(observed(bench.ask(1, .fullAccuracy, at: .seconds(80))))
  }
  #expect(Set(answers).count == 1, "\(answers)")
}

@Test func `B5: if the app may cause no prompt, its region event is presented to the owners`() {
  var record = Standing.provisional.record(a)
  record.accuracy = .reduced
  var bench = Bench(records: [record])
  // No owner answers the question about full accuracy, so the app may cause no prompt for an hour.
  bench.handle(.surfacesChanged(areOpen: true), at: .seconds(9))
  bench.ask(1, .fullAccuracy, at: .seconds(10))
  bench.handle(.timePassed, at: .seconds(70))
  bench.handle(.ordered(.setAccuracy(a, .full)), at: .seconds(71))
  let end = Duration.seconds(70 + 3600)
  #expect(bench.handle(.regionCrossed(a, crossing), at: end - .nanosecond) == [.notifyOwners(a, crossing)])
  #expect(bench.handle(.regionCrossed(a, crossing), at: end).shown?.kind == .always)
}

@Test(arguments: [(Duration.seconds(86_412), true), (.seconds(86_412) - .nanosecond, false), (.seconds(200_000), true)])
func `B5: the app goes on seeing always until its first HELLO at least 24 h later`(hello: Duration, seesIt: Bool) {
  for isResumed in [true, false] {
    var bench = Bench([a: .provisional])
    bench.start(1, at: .seconds(10))
    bench.answer(.no, at: .seconds(12))
    let kept = Array(bench.authorization.records.values)
    #expect(
      observed(bench.handle(.timePassed, at: hello)) == [.end(RequestID(1), .expired)],
      "without HELLO there is no announcement")
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
    let effects = bench.handle(isResumed ? .sessionResumed(session) : .sessionOpened(SessionID(9), a), at: hello)
    #expect((observed(effects) == [.announce(a)]) == seesIt)
    #expect(bench.authorization.visibleStatus(of: a, in: session) == (seesIt ? .whenInUse : .always))
    // A restart does not change this.
    bench = Bench(records: kept)
    bench.handle(.sessionOpened(SessionID(9), a), at: hello)
    #expect(bench.authorization.visibleStatus(of: a) == (seesIt ? .whenInUse : .always))
    if seesIt { #expect(bench.start(1, at: hello) == [.refuse(bench.last, .notInUse)]) }
  }
}

@Test
func `B5, D2: a hold that answers another prompt drops the region event, which a later "always" does not deliver`() {
  var bench = Bench([a: .provisional])
  bench.ask(2, .whenInUse, at: .seconds(10))
  #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(11)).shown?.kind == .always)
  bench.hold(down: .seconds(12))
  #expect(bench.authorization.prompts.isEmpty && !bench.authorization.isLocked)
  bench.start(1, at: .seconds(20))
  let effects = bench.answer(.always, at: .seconds(22))
  #expect(effects.begun.count == 1 && !effects.contains(.notifyRegion(a, crossing)))
}
