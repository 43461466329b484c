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
func `B5: a start while not in use is deferred, and the user is asked`(isUpdates: Bool) throws {
  var bench = Bench([a: .provisional])
  let effects =
    isUpdates ? bench.start(1, at: .seconds(10)) : bench.request(1, at: .seconds(10), requiresPress: false)
  let prompt = try #require(effects.shown)
  #expect(prompt.kind == .always && observed(effects) == [.acquire(bench.last)])
  let answered = bench.answer(.always, at: .seconds(12))
  #expect(isUpdates ? answered.begun.map(\.right) == [.always] : answered.served.map(\.right) == [.always])
  let record = bench.authorization.record(of: a)
  #expect(record.status == .always && !record.isProvisional)
  #expect(!answered.contains(.announce(a)), "the app always saw \"always\"")
}

@Test(arguments: [PromptChoice.no, .keep, nil])
func `B5: "no", "keep" or no answer give "while in use", and the change reveals nothing to the app`(
  choice: PromptChoice?
) {
  for isUpdates in [true, false] {
    var bench = Bench([a: .provisional])
    let start = { (bench: inout Bench, time: Duration) in
      isUpdates ? bench.start(1, at: time) : bench.request(1, at: time, requiresPress: false)
    }
    _ = start(&bench, .seconds(10))
    let effects =
      choice.map { bench.answer($0, at: .seconds(12)) } ?? bench.handle(.timePassed, at: .seconds(20))
    #expect(observed(effects) == [])
    #expect(observed(bench.handle(.timePassed, at: .seconds(70) - .nanosecond)) == [])
    #expect(
      observed(bench.handle(.timePassed, at: .seconds(70))) == [.end(RequestID(1), .expired)],
      "the request ends as if there had been no fix")
    #expect(bench.authorization.record(of: a).status == .whenInUse)
    #expect(!bench.authorization.record(of: a).isProvisional)
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
    #expect(!bench.authorization.isInUse(session), "the answer \"no\" begins no use")
    // From then on no prompt opens, and the app receives the same answer.
    #expect(start(&bench, .seconds(5000)) == [.acquire(bench.last)])
    #expect(observed(bench.handle(.timePassed, at: .seconds(5060))) == [.end(bench.last, .expired)])
  }
}

@Test func `B5: the app receives the same, with or without a prompt or an answer`() {
  var views: [[Effect]] = []
  for standing in [Standing.provisional, .refused] {
    for choice in [PromptChoice.no, .keep, nil] {
      var bench = Bench([a: standing])
      var view: [Effect] = []
      view += observed(bench.start(1, at: .seconds(10)))
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

@Test func `B5: a prompt that its app withdraws after it was shown counts as no answer`() {
  var bench = Bench([a: .provisional])
  let prompt = bench.request(1, at: .seconds(10), timeout: .seconds(59), requiresPress: false).shown
  #expect(prompt?.kind == .always)
  bench.handle(.timePassed, at: .seconds(12))
  bench.handle(.timePassed, at: .seconds(69))
  let record = bench.authorization.record(of: a)
  #expect(record.status == .whenInUse && !record.isProvisional && record.promptPause == nil)
  #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
  #expect(bench.request(1, at: .seconds(90_000), requiresPress: false).shown == nil)
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

@Test func `B5: a crossing is deferred, and delivered only after "always"`() {
  var bench = Bench([a: .provisional])
  let effects = bench.handle(.regionCrossed(a, crossing), at: .seconds(10))
  #expect(effects.shown?.kind == .always && observed(effects) == [])
  var other = bench
  #expect(other.answer(.always, at: .seconds(12)).contains(.notifyRegion(a, crossing)))
  for choice in [PromptChoice.no, .keep] {
    other = bench
    other.answer(choice, at: .seconds(12))
    #expect(observed(other.handle(.timePassed, at: .seconds(100))) == [], "the crossing is dropped")
  }
  #expect(observed(bench.handle(.timePassed, at: .seconds(20))) == [])
}

@Test func `B5: only the latest crossing of a region is deferred`() {
  var bench = Bench([a: .provisional])
  bench.handle(.edge(at(.seconds(9))), at: .seconds(9))
  bench.handle(.regionCrossed(a, crossing), at: .seconds(10))
  let exit = RegionEvent(region: "home", isEntry: false)
  bench.handle(.regionCrossed(a, exit), at: .milliseconds(10_500))
  bench.handle(.timePassed, at: .seconds(11))
  let effects = bench.answer(.always, at: .seconds(12))
  #expect(effects.contains(.notifyRegion(a, exit)) && !effects.contains(.notifyRegion(a, crossing)))
}

@Test func `the denial of an app drops its own deferred crossing, and not those of other apps`() {
  var bench = Bench([a: .provisional, b: .provisional])
  for app in [a, b] { bench.handle(.regionCrossed(app, crossing), at: .seconds(10)) }
  bench.handle(.ordered(.setStatus(b, .denied)), at: .seconds(11))
  let effects = bench.answer(.always, at: .seconds(12))
  #expect(effects.contains(.notifyRegion(a, crossing)) && !effects.contains(.notifyRegion(b, crossing)))
}

@Test func `an app receives crossings only with "always" and full accuracy, and otherwise only the owners do`() {
  for standing in Standing.allCases {
    for accuracy in FixAccuracy.allCases {
      var record = standing.record(a)
      record.accuracy = accuracy
      var bench = Bench(records: [record])
      let effects = bench.handle(.regionCrossed(a, crossing), at: .seconds(10))
      switch (standing, accuracy) {
      case (.always, .full): #expect(effects == [.notifyRegion(a, crossing)])
      case (.provisional, .full): #expect(effects.shown?.kind == .always && effects.count == 1)
      case (.always, _), (.whenInUse, _), (.refused, _), (.provisional, _):
        #expect(effects == [.notifyOwners(a, crossing)])
      case (.new, _), (.confirmed, _), (.denied, _): #expect(effects == [])
      }
    }
  }
}

@Test func `a crossing for an app without a session is shown to the owners, unless only the app would receive it`() {
  var bench = Bench([a: .provisional])
  bench.handle(.regionCrossed(a, crossing), at: .seconds(10))
  #expect(
    bench.handle(.sessionEnded(session), at: .seconds(11)).contains {
      if case .close(_, .withdrawn) = $0 { true } else { false }
    })
  #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(12)) == [.notifyOwners(a, crossing)])
  for (record, effects) in [
    (Standing.always, []), (.whenInUse, [.notifyOwners(a, crossing)]), (.denied, []), (.confirmed, []),
  ] as [(Standing, [Effect])] {
    var bench = Bench([a: record])
    bench.handle(.sessionEnded(session), at: .seconds(1))
    #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(2)) == effects)
  }
}

@Test
func `B5: a start that is deferred during another prompt of its app opens its prompt afterwards, but not after a hold`()
{
  var record = Standing.provisional.record(a)
  record.accuracy = .reduced
  for closing in [PromptClosing.no, .withdrawn, nil] {
    var bench = Bench(records: [record])
    bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(1))
    #expect(bench.ask(9, .fullAccuracy, at: .seconds(2)).shown?.kind == .precise)
    #expect(bench.start(1, at: .seconds(3)) == [.acquire(bench.last)])
    let effects =
      switch closing {
      case .no: bench.answer(.keep, at: .seconds(5))
      case .withdrawn: bench.handle(.sessionEnded(SessionID(9)), at: .seconds(5))
      default: bench.hold(down: .seconds(5)) + bench.handle(.timePassed, at: .seconds(11))
      }
    // A prompt that its app withdrew counts as unanswered.
    let isAsked = closing == .no
    #expect((effects.shown?.kind == .always) == isAsked)
    #expect(bench.answer(.always, at: .seconds(12)).begun.map(\.right) == (isAsked ? [.always] : []))
  }
}

@Test func `B5: the prompt closes with the deferred start that caused it`() {
  for event in [Event.stopped(session), .sessionEnded(session), .timePassed] {
    var bench = Bench([a: .provisional])
    bench.handle(.edge(at(.milliseconds(9900))), at: .milliseconds(9900))
    bench.start(1, at: .seconds(10))
    if event == .timePassed { bench.request(2, at: .seconds(10), timeout: .seconds(3000)) }
    let effects = bench.handle(event, at: .seconds(event == .timePassed ? 71 : 11))
    #expect(effects.ended.keys.contains(RequestID(1)) && effects.shown == nil)
    bench.handle(.cancelled(SessionID(2)), at: .seconds(72))
    #expect(bench.authorization.prompt == nil)
  }
}

@Test func `B5: a provisional app in use is served like any other app in use`() {
  var bench = Bench([a: .provisional])
  bench.handle(.ordered(.use(a)), at: .seconds(9))
  #expect(bench.start(1, at: .seconds(10)).begun.map(\.right) == [.whenInUse])
  #expect(bench.request(1, at: .seconds(10), requiresPress: false).served.map(\.right) == [.whenInUse])
}

@Test(arguments: [true, false])
func `B5: updates that must stop appear to find no fix, so that the app does not learn its status`(background: Bool) {
  for standing in [Standing.provisional, .refused] {
    var bench = Bench([a: standing])
    bench.handle(.ordered(.use(a)), at: .seconds(9))
    bench.start(1, at: .seconds(10), background: background)
    bench.handle(.served(bench.last), at: .seconds(11))
    if !background { bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(20)) }
    let end = background ? Duration.seconds(10 + 8 * 3600) : .seconds(25)
    let effects = bench.handle(.timePassed, at: end)
    #expect(effects.contains(.withhold(bench.last)) && observed(effects) == [])
    #expect((effects.shown?.kind == .always) == (standing == .provisional))
    #expect(bench.authorization.updates.isEmpty)
    #expect(observed(bench.handle(.timePassed, at: end + .seconds(60))) == [.end(bench.last, .expired)])
  }
}

@Test func `B5: "always" counts as an act of the user, and resumes deferred starts`() {
  var bench = Bench([a: .provisional])
  bench.handle(.ordered(.use(a)), at: .seconds(9))
  bench.start(1, at: .seconds(10))
  bench.handle(.served(bench.last), at: .seconds(11))
  bench.handle(.timePassed, at: .seconds(909))
  let effects = bench.answer(.always, at: .seconds(911))
  #expect(effects.begun.map(\.request) == [RequestID(1)] && effects.begun.map(\.right) == [.always])
}
