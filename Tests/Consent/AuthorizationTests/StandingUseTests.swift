import Authorization
import Clocks
import Testing

private let session = SessionID(1)

/// a is in use in session 1 since 10 s, by the owner's word.
private func inUse(_ standing: Standing = .whenInUse) -> Bench {
  var bench = Bench([a: standing])
  bench.happen(.ordered(.use(a)), at: .seconds(10))
  return bench
}

@Test func `C1: in use, requests and updates need no press`() throws {
  var bench = inUse()
  let effects = bench.request(1, at: .seconds(11), requiresPress: false)
  let grant = try #require(effects.served.first)
  #expect(effects.outward == [.acquire(bench.last), .serve(grant)])
  #expect(grant.right == .whenInUse && grant.press == nil && grant.expires == at(.seconds(71)))
  let started = bench.start(1, at: .seconds(12))
  #expect(started.outward == [.acquire(bench.last), .begin(try #require(started.begun.first))])
  #expect(bench.request(1, at: .seconds(13), requiresPress: false).outward == [.refuse(bench.last, .alreadyArmed)])
  #expect(bench.start(1, at: .seconds(13)) == [.refuse(bench.last, .alreadyStarted)])
}

@Test func `C1: no fix is from before the authorization, the unlock, the start of use, or the last minute`() {
  var bench = inUse()
  func notBefore(_ time: Duration) -> MonotonicInstant? {
    bench.happen(.stopped(session), at: time)
    return bench.start(1, at: time).begun.first?.notBefore
  }
  #expect(notBefore(.seconds(30)) == at(.seconds(10)))
  #expect(notBefore(.seconds(100)) == at(.seconds(40)))
  bench.happen(.ordered(.setStatus(a, .always)), at: .seconds(110))
  #expect(notBefore(.seconds(120)) == at(.seconds(110)))
  bench.happen(.lockOrdered, at: .seconds(130))
  bench.hold(down: .seconds(132))
  #expect(notBefore(.seconds(140)) == at(.seconds(135)))
}

@Test func `a press that serves an app begins its use, and a hello or foreground never does`() {
  var bench = Bench([a: .whenInUse])
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(2)) == [.refuse(bench.last, .notInUse)])
  bench.request(1, at: .seconds(2), requiresPress: false)
  bench.press(down: .seconds(3))
  #expect(bench.start(1, at: .seconds(4)).begun.count == 1)
  bench.happen(.sessionOpened(SessionID(9), a), at: .seconds(5))
  #expect(bench.start(9, at: .seconds(5)) == [.refuse(bench.last, .notInUse)], "nor another session")
}

@Test func `C2: while not in use a start is refused, and a request waits for a press`() {
  var bench = Bench([a: .whenInUse])
  #expect(bench.start(1, at: .seconds(1)) == [.refuse(bench.last, .notInUse)])
  #expect(bench.start(1, at: .seconds(1), background: true) == [.refuse(bench.last, .notInUse)])
  #expect(bench.request(1, at: .seconds(1), requiresPress: false) == [.accept(bench.last)])
}

@Test func `C3: updates started with background go on when not in use, for 8 h from their start`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20), background: true)
  bench.happen(.served(bench.last), at: .seconds(21))
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(30))
  #expect(bench.happen(.timePassed, at: .seconds(100)).ended == [:])
  #expect(!bench.authorization.isInUse(session) && bench.authorization.updates.count == 1)
  let end = Duration.seconds(20 + 8 * 3600)
  // Coming to the front, or an act of a person, begins nothing anew.
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(1000))
  bench.happen(.ordered(.use(a)), at: end - .seconds(10))
  #expect(bench.happen(.timePassed, at: end - .nanosecond).ended == [:])
  #expect(bench.happen(.timePassed, at: end).ended == [bench.last: .notInUse])
}

@Test func `C4: updates started without it stop when the use ends`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20))
  bench.happen(.served(bench.last), at: .seconds(21))
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(30))
  #expect(bench.happen(.timePassed, at: .seconds(35) - .nanosecond).ended == [:])
  #expect(bench.happen(.timePassed, at: .seconds(35)).outward == [.end(bench.last, .notInUse)])
  #expect(bench.start(1, at: .seconds(36)) == [.refuse(bench.last, .notInUse)])
}

@Test func `C4: a request in flight ends with the use too`() {
  var bench = inUse()
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(30))
  bench.request(1, at: .seconds(31), requiresPress: false)
  #expect(bench.happen(.timePassed, at: .seconds(35)).ended == [bench.last: .notInUse])
}

@Test func `C5: always is served at any time`() {
  var bench = Bench([a: .always])
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(100)).begun.map(\.right) == [.always])
  bench.happen(.served(bench.last), at: .seconds(101))
  #expect(bench.request(1, at: .seconds(100), requiresPress: false).served.map(\.right) == [.always])
  #expect(bench.happen(.timePassed, at: .seconds(100_000)).ended == [bench.last: .expired], "updates go on")
  #expect(bench.request(1, at: .seconds(100_001), requiresPress: true).outward == [.accept(bench.last)])
}

@Test func `C6: legibility is asked for each second of standing use, and its failure ends it`() {
  var bench = inUse()
  #expect(bench.start(1, at: .seconds(20)).contains(.checkLegibility))
  bench.happen(.served(bench.last), at: .seconds(20))
  for second in 21...25 {
    #expect(bench.authorization.nextDeadline == at(.seconds(second)))
    #expect(bench.happen(.timePassed, at: .seconds(second)) == [.checkLegibility])
    #expect(bench.happen(.legibilityChecked(nil), at: .seconds(second)) == [])
  }
  bench.request(1, at: .seconds(25), requiresPress: false)
  let effects = bench.happen(.legibilityChecked("indicator-dark"), at: .milliseconds(25_500))
  #expect(
    effects.ended == [RequestID(1): .illegible("indicator-dark"), RequestID(2): .illegible("indicator-dark")])
  #expect(bench.start(1, at: .seconds(26)) == [.refuse(bench.last, .illegible("indicator-dark"))])
  // It is looked at again until it can be seen.
  #expect(bench.happen(.timePassed, at: .seconds(27)) == [.checkLegibility])
  bench.happen(.legibilityChecked(nil), at: .seconds(27))
  #expect(bench.start(1, at: .seconds(28)).begun.count == 1)
}

@Test func `C6: where nobody could see it, always is refused as well, and regions stay silent`() {
  var bench = Bench([a: .always])
  bench.happen(.legibilityChecked("indicator-missing"), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(1)) == [.refuse(bench.last, .illegible("indicator-missing"))])
  #expect(
    bench.request(1, at: .seconds(1), requiresPress: false)
      == [.refuse(bench.last, .illegible("indicator-missing"))])
  #expect(bench.happen(.regionCrossed(a, RegionEvent(region: "x", isEntry: true)), at: .seconds(1)) == [])
}

// MARK: In use

@Test func `use ends 15 min after a person's last act, whatever the app does meanwhile`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20))
  bench.happen(.served(bench.last), at: .seconds(20))
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(500))
  bench.request(1, at: .seconds(800), requiresPress: false)
  bench.happen(.served(bench.last), at: .seconds(801))
  #expect(bench.happen(.timePassed, at: .seconds(910) - .nanosecond).ended == [:])
  #expect(bench.happen(.timePassed, at: .seconds(910)).ended == [RequestID(1): .notInUse])
}

@Test func `a press that serves the app makes it 15 min anew`() {
  var bench = inUse()
  bench.request(1, at: .seconds(500), requiresPress: true)
  bench.press(down: .seconds(600), up: .seconds(601))
  bench.happen(.served(bench.last), at: .seconds(602))
  bench.happen(.timePassed, at: .seconds(1501) - .nanosecond)
  #expect(bench.authorization.isInUse(session))
  bench.happen(.timePassed, at: .seconds(1501))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `the 5 s of grace add up between two acts, in the background`() {
  var bench = inUse()
  for (background, foreground) in [(20, 22), (30, 32)] {
    bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(background))
    bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(foreground))
  }
  #expect(bench.authorization.isInUse(session))
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(40))
  #expect(bench.authorization.nextDeadline == at(.seconds(41)))
  bench.happen(.timePassed, at: .seconds(41))
  #expect(!bench.authorization.isInUse(session))
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(42))
  #expect(!bench.authorization.isInUse(session), "to come back begins no use")
}

@Test func `the 5 s of grace add up between two acts, over reconnects and the background together`() {
  var bench = Bench([a: .confirmed])
  bench.happen(.sessionLost(session), at: .seconds(10))
  bench.happen(.sessionResumed(session), at: .seconds(13))
  bench.happen(.sessionLost(session), at: .seconds(20))
  #expect(bench.authorization.nextDeadline == at(.seconds(22)))
  #expect(bench.happen(.timePassed, at: .seconds(22)) == [.endSession(session)])
  #expect(bench.happen(.sessionResumed(session), at: .seconds(22)) == [])
  #expect(bench.authorization.sessions[session] == nil)

  bench = inUse()
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(20))
  bench.happen(.sessionLost(session), at: .seconds(22))
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(23))
  #expect(bench.happen(.timePassed, at: .seconds(25)) == [.endSession(session)])
}

@Test func `an act of a person gives the grace back`() {
  var bench = inUse()
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(20))
  bench.happen(.stateChanged(session, isInBackground: false), at: .seconds(24))
  bench.happen(.ordered(.use(a)), at: .seconds(30))
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(40))
  bench.happen(.timePassed, at: .seconds(45) - .nanosecond)
  #expect(bench.authorization.isInUse(session))
  bench.happen(.timePassed, at: .seconds(45))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `a person's act for an app in the background begins use for 5 s`() {
  var bench = Bench([a: .whenInUse])
  bench.happen(.stateChanged(session, isInBackground: true), at: .seconds(1))
  bench.happen(.ordered(.use(a)), at: .seconds(10))
  #expect(bench.authorization.isInUse(session))
  bench.happen(.timePassed, at: .seconds(15))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `a session that is not resumed in time takes with it what it had`() {
  var bench = inUse()
  bench.start(1, at: .seconds(11), background: true)
  bench.request(1, at: .seconds(11), requiresPress: true)
  bench.happen(.sessionLost(session), at: .seconds(12))
  let effects = bench.happen(.timePassed, at: .seconds(17))
  #expect(effects.ended == [RequestID(1): .sessionEnded, RequestID(2): .sessionEnded])
  #expect(effects.contains(.endSession(session)))
}

@Test func `a display on the wall is in use while it is connected`() {
  var bench = Bench([a: .whenInUse]) { $0.displays = [a] }
  bench.start(1, at: .seconds(10))
  bench.happen(.served(bench.last), at: .seconds(11))
  #expect(bench.happen(.timePassed, at: .seconds(100_000)).ended == [:])
  bench.happen(.sessionLost(session), at: .seconds(100_001))
  #expect(bench.happen(.timePassed, at: .seconds(100_006)).ended == [bench.last: .sessionEnded])
}

@Test func `updates that find no fix in 60 s end`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(10))
  #expect(bench.happen(.timePassed, at: .seconds(70) - .nanosecond).ended == [:])
  #expect(bench.happen(.timePassed, at: .seconds(70)).ended == [bench.last: .expired])
  bench.start(1, at: .seconds(80))
  #expect(bench.happen(.failed(bench.last), at: .seconds(81)).ended == [:], "the app has been told")
  #expect(bench.authorization.updates.isEmpty)
}

@Test func `STOP and CANCEL end what they name and nothing else`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(10))
  bench.request(1, at: .seconds(10), requiresPress: false)
  #expect(bench.happen(.cancelled(session), at: .seconds(11)).ended == [RequestID(2): .cancelled])
  #expect(bench.happen(.stopped(session), at: .seconds(12)).ended == [RequestID(1): .cancelled])
  #expect(bench.happen(.stopped(session), at: .seconds(12)) == [])
}
