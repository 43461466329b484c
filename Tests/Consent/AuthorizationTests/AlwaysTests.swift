import Authorization
import Clocks
import Testing

private let session = SessionID(1)
private let crossing = RegionEvent(region: "home", isEntry: true)

/// What an app can tell of: everything but prompts, what is kept, and what is withheld from it.
private func heard(_ effects: [Effect]) -> [Effect] {
  effects.filter {
    switch $0 {
    case .save, .show, .close, .withhold, .checkLegibility, .notifyOwners: false
    default: true
    }
  }
}

@Test(arguments: [true, false])
func `B5: a start while not in use is held, and the person is asked`(isUpdates: Bool) throws {
  var bench = Bench([a: .provisional])
  let effects =
    isUpdates ? bench.start(1, at: .seconds(10)) : bench.request(1, at: .seconds(10), requiresPress: false)
  let prompt = try #require(effects.shown)
  #expect(prompt.kind == .always && heard(effects) == [.acquire(bench.last)])
  let answered = bench.answer(.always, at: .seconds(12))
  #expect(isUpdates ? answered.begun.map(\.right) == [.always] : answered.served.map(\.right) == [.always])
  let record = bench.authorization.record(of: a)
  #expect(record.status == .always && !record.isProvisional)
  #expect(!answered.contains(.announce(a)), "it saw always all the time")
}

@Test(arguments: [Prompt.Choice.no, .keep, nil])
func `B5: no, as it is, or no answer leave "while in use", and the change tells the app nothing`(
  choice: Prompt.Choice?
) {
  for isUpdates in [true, false] {
    var bench = Bench([a: .provisional])
    let start = { (bench: inout Bench, time: Duration) in
      isUpdates ? bench.start(1, at: time) : bench.request(1, at: time, requiresPress: false)
    }
    _ = start(&bench, .seconds(10))
    let effects =
      choice.map { bench.answer($0, at: .seconds(12)) } ?? bench.happen(.timePassed, at: .seconds(20))
    #expect(heard(effects) == [])
    #expect(heard(bench.happen(.timePassed, at: .seconds(70) - .nanosecond)) == [])
    #expect(heard(bench.happen(.timePassed, at: .seconds(70))) == [.end(RequestID(1), .expired)], "as if no fix came")
    #expect(bench.authorization.record(of: a).status == .whenInUse)
    #expect(!bench.authorization.record(of: a).isProvisional)
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
    #expect(!bench.authorization.isInUse(session), "a no begins no use")
    // From then on there is no question any more, and the same answer.
    #expect(start(&bench, .seconds(5000)) == [.acquire(bench.last)])
    #expect(heard(bench.happen(.timePassed, at: .seconds(5060))) == [.end(bench.last, .expired)])
  }
}

@Test func `B5: asked or not, answered or not, the app hears the same`() {
  var views: [[Effect]] = []
  for standing in [Standing.provisional, .refused] {
    for choice in [Prompt.Choice.no, .keep, nil] {
      var bench = Bench([a: standing])
      var view: [Effect] = []
      view += heard(bench.start(1, at: .seconds(10)))
      if let choice { view += heard(bench.answer(choice, at: .seconds(12))) }
      view += heard(bench.ask(1, .always, at: .seconds(30)))
      view += heard(bench.happen(.regionCrossed(a, crossing), at: .seconds(31)))
      view += heard(bench.happen(.timePassed, at: .seconds(100)))
      views.append(view)
    }
  }
  #expect(Set(views).count == 1)
}

@Test(arguments: [(Duration.seconds(86_412), true), (.seconds(86_412) - .nanosecond, false), (.seconds(200_000), true)])
func `B5: the app goes on seeing always until its first HELLO at least 24 h later`(hello: Duration, seesIt: Bool) {
  for isResumed in [true, false] {
    var bench = Bench([a: .provisional])
    bench.start(1, at: .seconds(10))
    bench.answer(.no, at: .seconds(12))
    let kept = Array(bench.authorization.records.values)
    #expect(heard(bench.happen(.timePassed, at: hello)) == [.end(RequestID(1), .expired)], "no HELLO, no news")
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
    let effects = bench.happen(isResumed ? .sessionResumed(session) : .sessionOpened(SessionID(9), a), at: hello)
    #expect((heard(effects) == [.announce(a)]) == seesIt)
    #expect(bench.authorization.visibleStatus(of: a, in: session) == (seesIt ? .whenInUse : .always))
    // The same after a restart.
    bench = Bench(records: kept)
    bench.happen(.sessionOpened(SessionID(9), a), at: hello)
    #expect(bench.authorization.visibleStatus(of: a) == (seesIt ? .whenInUse : .always))
    if seesIt { #expect(bench.start(1, at: hello) == [.refuse(bench.last, .notInUse)]) }
  }
}

@Test func `B5: a region's event is held, and delivered only after a yes`() {
  var bench = Bench([a: .provisional])
  let effects = bench.happen(.regionCrossed(a, crossing), at: .seconds(10))
  #expect(effects.shown?.kind == .always && heard(effects) == [])
  var other = bench
  #expect(other.answer(.always, at: .seconds(12)).contains(.tellRegion(a, crossing)))
  for choice in [Prompt.Choice.no, .keep] {
    other = bench
    other.answer(choice, at: .seconds(12))
    #expect(heard(other.happen(.timePassed, at: .seconds(100))) == [], "dropped")
  }
  #expect(heard(bench.happen(.timePassed, at: .seconds(20))) == [])
}

@Test func `B5: of several events of a region the latest is held`() {
  var bench = Bench([a: .provisional])
  bench.happen(.edge(at(.seconds(9))), at: .seconds(9))
  bench.happen(.regionCrossed(a, crossing), at: .seconds(10))
  let exit = RegionEvent(region: "home", isEntry: false)
  bench.happen(.regionCrossed(a, exit), at: .milliseconds(10_500))
  bench.happen(.timePassed, at: .seconds(11))
  let effects = bench.answer(.always, at: .seconds(12))
  #expect(effects.contains(.tellRegion(a, exit)) && !effects.contains(.tellRegion(a, crossing)))
}

@Test func `a region's event is told to an app only with always and full accuracy, else to the owners alone`() {
  for standing in Standing.allCases {
    for accuracy in Accuracy.allCases {
      var record = standing.record(a)
      record.accuracy = accuracy
      var bench = Bench(records: [record])
      let effects = bench.happen(.regionCrossed(a, crossing), at: .seconds(10))
      switch (standing, accuracy) {
      case (.always, .full): #expect(effects == [.tellRegion(a, crossing)])
      case (.provisional, .full): #expect(effects.shown?.kind == .always && effects.count == 1)
      case (.always, .reduced), (.whenInUse, _), (.refused, _), (.provisional, .reduced):
        #expect(effects == [.notifyOwners(a, crossing)])
      case (.new, _), (.confirmed, _), (.denied, _): #expect(effects == [])
      }
    }
  }
}

@Test func `a region's event for an app that is not here is shown to the owners, unless the app alone would hear it`() {
  var bench = Bench([a: .provisional])
  bench.happen(.regionCrossed(a, crossing), at: .seconds(10))
  #expect(
    bench.happen(.sessionEnded(session), at: .seconds(11)).contains {
      if case .close(_, .withdrawn) = $0 { true } else { false }
    })
  #expect(bench.happen(.regionCrossed(a, crossing), at: .seconds(12)) == [.notifyOwners(a, crossing)])
  for (record, effects) in [
    (Standing.always, []), (.whenInUse, [.notifyOwners(a, crossing)]), (.denied, []), (.confirmed, []),
  ] as [(Standing, [Effect])] {
    var bench = Bench([a: record])
    bench.happen(.sessionEnded(session), at: .seconds(1))
    #expect(bench.happen(.regionCrossed(a, crossing), at: .seconds(2)) == effects)
  }
}

@Test func `B5: a start that is held beside another question of its app is asked for after it, but not after a hold`() {
  var record = Standing.provisional.record(a)
  record.accuracy = .reduced
  for closing in [PromptClosing.no, .withdrawn, nil] {
    var bench = Bench(records: [record])
    bench.happen(.sessionOpened(SessionID(9), a), at: .seconds(1))
    #expect(bench.ask(9, .fullAccuracy, at: .seconds(2)).shown?.kind == .precise)
    #expect(bench.start(1, at: .seconds(3)) == [.acquire(bench.last)])
    let effects =
      switch closing {
      case .no: bench.answer(.keep, at: .seconds(5))
      case .withdrawn: bench.happen(.sessionEnded(SessionID(9)), at: .seconds(5))
      default: bench.hold(down: .seconds(5)) + bench.happen(.timePassed, at: .seconds(11))
      }
    // What its app withdrew counts as unanswered.
    let isAsked = closing == .no
    #expect((effects.shown?.kind == .always) == isAsked)
    #expect(bench.answer(.always, at: .seconds(12)).begun.map(\.right) == (isAsked ? [.always] : []))
  }
}

@Test func `B5: the question goes with the start for whose sake it is asked`() {
  for event in [Event.stopped(session), .sessionEnded(session), .timePassed] {
    var bench = Bench([a: .provisional])
    bench.happen(.edge(at(.milliseconds(9900))), at: .milliseconds(9900))
    bench.start(1, at: .seconds(10))
    if event == .timePassed { bench.request(2, at: .seconds(10), timeout: .seconds(3000)) }
    let effects = bench.happen(event, at: .seconds(event == .timePassed ? 71 : 11))
    #expect(effects.ended.keys.contains(RequestID(1)) && effects.shown == nil)
    bench.happen(.cancelled(SessionID(2)), at: .seconds(72))
    #expect(bench.authorization.prompt == nil)
  }
}

@Test func `B5: in use, a provisional app is served as any that may be`() {
  var bench = Bench([a: .provisional])
  bench.happen(.ordered(.use(a)), at: .seconds(9))
  #expect(bench.start(1, at: .seconds(10)).begun.map(\.right) == [.whenInUse])
  #expect(bench.request(1, at: .seconds(10), requiresPress: false).served.map(\.right) == [.whenInUse])
}

@Test(arguments: [true, false])
func `B5: updates that may not go on seem to find no fix, so that the app does not learn why`(background: Bool) {
  for standing in [Standing.provisional, .refused] {
    var bench = Bench([a: standing])
    bench.happen(.ordered(.use(a)), at: .seconds(9))
    bench.start(1, at: .seconds(10), background: background)
    bench.happen(.served(bench.last), at: .seconds(11))
    if !background { bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(20)) }
    let end = background ? Duration.seconds(10 + 8 * 3600) : .seconds(25)
    let effects = bench.happen(.timePassed, at: end)
    #expect(effects.contains(.withhold(bench.last)) && heard(effects) == [])
    #expect((effects.shown?.kind == .always) == (standing == .provisional))
    #expect(bench.authorization.updates.isEmpty)
    #expect(heard(bench.happen(.timePassed, at: end + .seconds(60))) == [.end(bench.last, .expired)])
  }
}

@Test func `B5: a yes counts as an act, and brings what was withheld back`() {
  var bench = Bench([a: .provisional])
  bench.happen(.ordered(.use(a)), at: .seconds(9))
  bench.start(1, at: .seconds(10))
  bench.happen(.served(bench.last), at: .seconds(11))
  bench.happen(.timePassed, at: .seconds(909))
  let effects = bench.answer(.always, at: .seconds(911))
  #expect(effects.begun.map(\.request) == [RequestID(1)] && effects.begun.map(\.right) == [.always])
}
