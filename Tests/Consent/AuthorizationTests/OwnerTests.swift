import Authorization
import Clocks
import Testing

private let session = SessionID(1)

@Test func `D1: an owner's change ends what runs, erases what is undelivered, and is told`() {
  for status in [Status.denied, .notDetermined] {
    for standing in [Standing.whenInUse, .always, .provisional] {
      var bench = Bench([a: standing])
      bench.happen(.ordered(.use(a)), at: .seconds(10))
      bench.start(1, at: .seconds(11))
      bench.request(1, at: .seconds(11), requiresPress: false)
      let effects = bench.happen(.ordered(.setStatus(a, status)), at: .seconds(12))
      #expect(
        Set(effects.outward) == [
          .eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed), .end(RequestID(2), .changed),
        ])
      #expect(bench.authorization.status(of: a) == status && !bench.authorization.isInUse(session))
      #expect(bench.authorization.updates.isEmpty && bench.authorization.grants.isEmpty)
    }
  }
}

@Test func `D1: approximate from now on ends what runs and erases what is undelivered`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(11))
  let effects = bench.happen(.ordered(.setAccuracy(a, .reduced)), at: .seconds(12))
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed)])
}

@Test func `D1: a change for the better erases nothing`() {
  var bench = Bench([a: .whenInUse])
  #expect(bench.happen(.ordered(.setStatus(a, .always)), at: .seconds(12)).outward == [.announce(a)])
  #expect(bench.happen(.ordered(.setStatus(a, .always)), at: .seconds(13)) == [], "no change, no news")
}

@Test func `D1: a one-time grant in flight does not survive a lower right`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(bench.happen(.ordered(.setStatus(a, .denied)), at: .seconds(3)).ended == [RequestID(1): .changed])
}

@Test func `D1: "ask next time" asks, and a use that was begun is not revived`() {
  var bench = Bench([a: .confirmed])
  bench.happen(.ordered(.use(a)), at: .seconds(1))
  bench.happen(.ordered(.setStatus(a, .notDetermined)), at: .seconds(2))
  bench.request(1, at: .seconds(3))
  #expect(bench.press(down: .seconds(4)).shown?.kind == .confirm)

  bench = Bench([a: .whenInUse])
  bench.happen(.ordered(.use(a)), at: .seconds(1))
  bench.happen(.ordered(.setStatus(a, .denied)), at: .seconds(2))
  bench.happen(.ordered(.setStatus(a, .whenInUse)), at: .seconds(3))
  #expect(bench.start(1, at: .seconds(4)) == [.refuse(bench.last, .notInUse)])
}

@Test func `D1: allowed once and precise once end by any order of the owner`() {
  for order in [OwnerOrder.setStatus(a, .notDetermined), .setAccuracy(a, .full), .reset(a)] {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    bench.answer(.once, at: .seconds(12))
    bench.start(1, at: .seconds(13))
    let effects = bench.happen(.ordered(order), at: .seconds(14))
    #expect(effects.ended == [bench.last: .changed] && effects.contains(.announce(a)))
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .notDetermined)
  }
}

@Test func `D1: the owner's word on a provisional app is seen by it at once`() {
  for standing in [Standing.provisional, .refused] {
    var bench = Bench([a: standing])
    #expect(bench.happen(.ordered(.setStatus(a, .whenInUse)), at: .seconds(10)).contains(.announce(a)))
    #expect(bench.authorization.visibleStatus(of: a, in: session) == .whenInUse)
  }
}

@Test func `D1: restricted is the configuration's alone, and no order lifts it`() {
  var bench = Bench([a: .whenInUse])
  #expect(bench.happen(.ordered(.setStatus(a, .restricted)), at: .seconds(1)) == [])
  bench = Bench([a: .whenInUse]) { $0.restrictedApps = [a] }
  bench.happen(.ordered(.setStatus(a, .always)), at: .seconds(1))
  bench.happen(.ordered(.use(a)), at: .seconds(1))
  #expect(bench.authorization.status(of: a) == .restricted)
  #expect(bench.start(1, at: .seconds(2)) == [.refuse(bench.last, .restricted)])
}

@Test func `D1: reset forgets the app: its pause, its upgrade, and that it was confirmed`() {
  var record = Standing.whenInUse.record(a)
  record.hasAskedUpgrade = true
  record.isButtonConfirmed = true
  record.promptPause = PromptPause(until: at(.seconds(10_000)), length: .seconds(3600))
  var bench = Bench(records: [record])
  #expect(bench.happen(.ordered(.reset(a)), at: .seconds(1)) == [.forget(a), .announce(a), .eraseUndelivered(a)])
  #expect(bench.authorization.records[a] == nil)
  #expect(bench.authorization.record(of: a) == AppRecord(app: a))
}

@Test func `D1: use begins in each of the app's sessions, and in no other's`() {
  var bench = Bench([a: .whenInUse, b: .whenInUse])
  bench.happen(.sessionOpened(SessionID(9), a), at: .zero)
  #expect(bench.happen(.ordered(.use(a)), at: .seconds(1)) == [])
  #expect([1, 2, 9].map { bench.authorization.isInUse(SessionID($0)) } == [true, false, true])
}

@Test func `D5: a change of status or accuracy by anyone cancels the app's arm and its prompt`() throws {
  for order in [OwnerOrder.setStatus(a, .whenInUse), .setAccuracy(a, .reduced)] {
    var bench = Bench()
    bench.request(1, at: .seconds(1))
    let prompt = try #require(bench.press(down: .seconds(2)).shown)
    let effects = bench.happen(.ordered(order), at: .seconds(3))
    #expect(effects.contains(.close(prompt, .withdrawn)) && effects.ended == [RequestID(1): .changed])
    #expect(bench.authorization.arms.isEmpty)
  }
  for choice in [Prompt.Choice.once, .whileUsing, .no] {
    var bench = Bench()
    bench.ask(1, .whenInUse, at: .seconds(10))
    bench.request(1, at: .seconds(11))
    #expect(bench.answer(choice, at: .seconds(12)).ended == [bench.last: .changed])
  }
  var bench = Bench(records: [AppRecord(app: a, status: .whenInUse, accuracy: .reduced)])
  bench.ask(1, .fullAccuracy, at: .seconds(10))
  bench.request(1, at: .seconds(11))
  #expect(bench.answer(.yes, at: .seconds(12)).ended == [bench.last: .changed])
}

@Test func `D5: who was armed for a press before a change is not served after it`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.happen(.ordered(.setStatus(a, .always)), at: .seconds(2))
  #expect(bench.press(down: .seconds(3)) == [.tellPress(nil, .nothingArmed), .blip(.nothingWaiting)])
}

@Test func `D1: what the configuration forbids ends what runs, and what it does not concern goes on`() {
  var bench = Bench([a: .always, b: .always])
  bench.start(1, at: .seconds(11))
  bench.start(2, at: .seconds(11))
  var configuration = Authorization.Configuration()
  configuration.restrictedApps = [a]
  let effects = bench.happen(.ordered(.configure(configuration)), at: .seconds(12))
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed)])
  #expect(bench.authorization.status(of: a) == .restricted)
  #expect(Array(bench.authorization.updates.keys) == [SessionID(2)])
  // What was forbidden and is not any more is as it was, and begins nothing by itself.
  let back = bench.happen(.ordered(.configure(Authorization.Configuration())), at: .seconds(13))
  #expect(back.outward == [.announce(a)])
  #expect(bench.authorization.status(of: a) == .always)
  #expect(
    bench.happen(.ordered(.configure(Authorization.Configuration())), at: .seconds(14)).outward == [],
    "no change, no news")
}

@Test func `D1: an accuracy that the configuration lowers is lowered for good, and none is raised`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(11))
  var configuration = Authorization.Configuration()
  configuration.newAppAccuracy = [a: .reduced]
  let effects = bench.happen(.ordered(.configure(configuration)), at: .seconds(12))
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed)])
  #expect(effects.contains { if case .save(let record) = $0 { record.accuracy == .reduced } else { false } })
  #expect(bench.happen(.ordered(.configure(Authorization.Configuration())), at: .seconds(13)) == [])
  #expect(bench.authorization.accuracy(of: a) == .reduced)
}

@Test func `D1: what is no display any more is not in use, and its updates end`() {
  var bench = Bench([a: .whenInUse]) { $0.displays = [a] }
  bench.start(1, at: .seconds(11))
  let effects = bench.happen(.ordered(.configure(Authorization.Configuration())), at: .seconds(12))
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .end(RequestID(1), .changed)])
  #expect(bench.start(1, at: .seconds(13)) == [.refuse(bench.last, .notInUse)])
}
