import Authorization
import Base
import LineProtocol
import Testing

private let session = SessionID(1)

/// Returns a bench on which app a is in use in session 1 since 10 s, by an order of the owner.
private func inUse(_ standing: Standing = .whenInUse) -> Bench {
  var bench = Bench([a: standing])
  bench.handle(.ordered(.use(a)), at: .seconds(10))
  return bench
}

@Test func `C1: while in use, requests and updates need no press`() throws {
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

@Test func `C1: no fix is older than the authorization, the unlock, the start of use, or one minute`() {
  var bench = inUse()
  func notBefore(_ time: Duration) -> MonotonicInstant? {
    bench.handle(.stopped(session), at: time)
    return bench.start(1, at: time).begun.first?.notBefore
  }
  #expect(notBefore(.seconds(30)) == at(.seconds(10)))
  #expect(notBefore(.seconds(100)) == at(.seconds(40)))
  bench.handle(.ordered(.setStatus(a, .always)), at: .seconds(110))
  #expect(notBefore(.seconds(120)) == at(.seconds(110)))
  bench.handle(.lockOrdered, at: .seconds(130))
  bench.hold(down: .seconds(132))
  #expect(notBefore(.seconds(140)) == at(.seconds(135)))
}

@Test func `a press that serves an app begins its use, and HELLO or "foreground" never does`() {
  var bench = Bench([a: .whenInUse])
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(2)) == [.refuse(bench.last, .notInUse)])
  bench.request(1, at: .seconds(2), requiresPress: false)
  bench.press(down: .seconds(3))
  #expect(bench.start(1, at: .seconds(4)).begun.count == 1)
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(5))
  #expect(bench.start(9, at: .seconds(5)) == [.refuse(bench.last, .notInUse)], "another session does not begin use")
}

@Test func `C2: while not in use a start is refused, and a request waits for a press`() {
  var bench = Bench([a: .whenInUse])
  #expect(bench.start(1, at: .seconds(1)) == [.refuse(bench.last, .notInUse)])
  #expect(bench.start(1, at: .seconds(1), background: true) == [.refuse(bench.last, .notInUse)])
  #expect(bench.request(1, at: .seconds(1), requiresPress: false) == [.accept(bench.last)])
}

@Test func `C3: updates started with "background" continue when not in use, for 8 h from their start`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20), background: true)
  bench.handle(.served(bench.last), at: .seconds(21))
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(30))
  #expect(bench.handle(.timePassed, at: .seconds(100)).ended == [:])
  #expect(!bench.authorization.isInUse(session) && bench.authorization.updates.count == 1)
  let end = Duration.seconds(20 + 8 * 3600)
  // Neither the foreground nor an act of the user restarts the 8 h.
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(1000))
  bench.handle(.ordered(.use(a)), at: end - .seconds(10))
  #expect(bench.handle(.timePassed, at: end - .nanosecond).ended == [:])
  #expect(bench.handle(.timePassed, at: end).ended == [bench.last: .notInUse])
}

@Test func `C4: updates started without "background" stop when the use ends`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20))
  bench.handle(.served(bench.last), at: .seconds(21))
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(30))
  #expect(bench.handle(.timePassed, at: .seconds(35) - .nanosecond).ended == [:])
  #expect(bench.handle(.timePassed, at: .seconds(35)).outward == [.end(bench.last, .notInUse)])
  #expect(bench.start(1, at: .seconds(36)) == [.refuse(bench.last, .notInUse)])
}

@Test func `C4: a request in flight ends with the use`() {
  var bench = inUse()
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(30))
  bench.request(1, at: .seconds(31), requiresPress: false)
  #expect(bench.handle(.timePassed, at: .seconds(35)).ended == [bench.last: .notInUse])
}

@Test func `C5: an app with "always" is served at any time`() {
  var bench = Bench([a: .always])
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(100)).begun.map(\.right) == [.always])
  bench.handle(.served(bench.last), at: .seconds(101))
  #expect(bench.request(1, at: .seconds(100), requiresPress: false).served.map(\.right) == [.always])
  #expect(bench.handle(.timePassed, at: .seconds(100_000)).ended == [bench.last: .expired], "the updates continue")
  #expect(bench.request(1, at: .seconds(100_001), requiresPress: true).outward == [.accept(bench.last)])
}

@Test func `C6: legibility is checked each second of standing use, and its failure ends the use`() {
  var bench = inUse()
  #expect(bench.start(1, at: .seconds(20)).contains(.checkLegibility))
  bench.handle(.served(bench.last), at: .seconds(20))
  for second in 21...25 {
    #expect(bench.authorization.nextDeadline == at(.seconds(second)))
    #expect(bench.handle(.timePassed, at: .seconds(second)) == [.checkLegibility])
    #expect(bench.handle(.legibilityChecked(nil), at: .seconds(second)) == [])
  }
  bench.request(1, at: .seconds(25), requiresPress: false)
  let effects = bench.handle(.legibilityChecked("indicator-dark"), at: .milliseconds(25_500))
  #expect(
    effects.ended == [RequestID(1): .illegible("indicator-dark"), RequestID(2): .illegible("indicator-dark")])
  #expect(bench.start(1, at: .seconds(26)) == [.refuse(bench.last, .illegible("indicator-dark"))])
  // Legibility is checked until the indicator can be seen.
  #expect(bench.handle(.timePassed, at: .seconds(27)) == [.checkLegibility])
  bench.handle(.legibilityChecked(nil), at: .seconds(27))
  #expect(bench.start(1, at: .seconds(28)).begun.count == 1)
}

@Test func `C6: while the indicator cannot be seen, "always" is refused as well, and crossings are not reported`() {
  var bench = Bench([a: .always])
  bench.handle(.legibilityChecked("indicator-missing"), at: .seconds(1))
  #expect(bench.start(1, at: .seconds(1)) == [.refuse(bench.last, .illegible("indicator-missing"))])
  #expect(
    bench.request(1, at: .seconds(1), requiresPress: false)
      == [.refuse(bench.last, .illegible("indicator-missing"))])
  #expect(bench.handle(.regionCrossed(a, RegionEvent(region: "x", isEntry: true)), at: .seconds(1)) == [])
}

// MARK: In use

@Test func `use ends 15 min after the user's last act, independently of the app`() {
  var bench = inUse()
  bench.start(1, at: .seconds(20))
  bench.handle(.served(bench.last), at: .seconds(20))
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(500))
  bench.request(1, at: .seconds(800), requiresPress: false)
  bench.handle(.served(bench.last), at: .seconds(801))
  #expect(bench.handle(.timePassed, at: .seconds(910) - .nanosecond).ended == [:])
  #expect(bench.handle(.timePassed, at: .seconds(910)).ended == [RequestID(1): .notInUse])
}

@Test func `a press that serves the app restarts the 15 min`() {
  var bench = inUse()
  bench.request(1, at: .seconds(500), requiresPress: true)
  bench.press(down: .seconds(600), up: .seconds(601))
  bench.handle(.served(bench.last), at: .seconds(602))
  bench.handle(.timePassed, at: .seconds(1501) - .nanosecond)
  #expect(bench.authorization.isInUse(session))
  bench.handle(.timePassed, at: .seconds(1501))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `the 5 s of grace add up between two acts, in the background`() {
  var bench = inUse()
  for (background, foreground) in [(20, 22), (30, 32)] {
    bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(background))
    bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(foreground))
  }
  #expect(bench.authorization.isInUse(session))
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(40))
  #expect(bench.authorization.nextDeadline == at(.seconds(41)))
  bench.handle(.timePassed, at: .seconds(41))
  #expect(!bench.authorization.isInUse(session))
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(42))
  #expect(!bench.authorization.isInUse(session), "a reconnect begins no use")
}

@Test func `the 5 s of grace add up between two acts, over reconnects and the background together`() {
  var bench = Bench([a: .confirmed])
  bench.handle(.sessionLost(session), at: .seconds(10))
  bench.handle(.sessionResumed(session), at: .seconds(13))
  bench.handle(.sessionLost(session), at: .seconds(20))
  #expect(bench.authorization.nextDeadline == at(.seconds(22)))
  #expect(bench.handle(.timePassed, at: .seconds(22)) == [.endSession(session)])
  #expect(bench.handle(.sessionResumed(session), at: .seconds(22)) == [])
  #expect(bench.authorization.sessions[session] == nil)

  bench = inUse()
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(20))
  bench.handle(.sessionLost(session), at: .seconds(22))
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(23))
  #expect(bench.handle(.timePassed, at: .seconds(25)) == [.endSession(session)])
}

@Test func `an act of the user restores the grace period`() {
  var bench = inUse()
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(20))
  bench.handle(.stateChanged(session, isInBackground: false), at: .seconds(24))
  bench.handle(.ordered(.use(a)), at: .seconds(30))
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(40))
  bench.handle(.timePassed, at: .seconds(45) - .nanosecond)
  #expect(bench.authorization.isInUse(session))
  bench.handle(.timePassed, at: .seconds(45))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `an act of the user for an app in the background begins use for 5 s`() {
  var bench = Bench([a: .whenInUse])
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(1))
  bench.handle(.ordered(.use(a)), at: .seconds(10))
  #expect(bench.authorization.isInUse(session))
  bench.handle(.timePassed, at: .seconds(15))
  #expect(!bench.authorization.isInUse(session))
}

@Test func `a session that is not resumed in time ends its arm, grants and updates`() {
  var bench = inUse()
  bench.start(1, at: .seconds(11), background: true)
  bench.request(1, at: .seconds(11), requiresPress: true)
  bench.handle(.sessionLost(session), at: .seconds(12))
  let effects = bench.handle(.timePassed, at: .seconds(17))
  #expect(effects.ended == [RequestID(1): .sessionEnded, RequestID(2): .sessionEnded])
  #expect(effects.contains(.endSession(session)))
}

@Test func `a wall display is in use while it is connected`() {
  var bench = Bench([a: .whenInUse]) { $0.displays = [a] }
  bench.start(1, at: .seconds(10))
  bench.handle(.served(bench.last), at: .seconds(11))
  #expect(bench.handle(.timePassed, at: .seconds(100_000)).ended == [:])
  bench.handle(.sessionLost(session), at: .seconds(100_001))
  #expect(bench.handle(.timePassed, at: .seconds(100_006)).ended == [bench.last: .sessionEnded])
}

@Test func `updates without a fix for 60 s end`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(10))
  #expect(bench.handle(.timePassed, at: .seconds(70) - .nanosecond).ended == [:])
  #expect(bench.handle(.timePassed, at: .seconds(70)).ended == [bench.last: .expired])
  bench.start(1, at: .seconds(80))
  #expect(bench.handle(.failed(bench.last), at: .seconds(81)).ended == [:], "the app was notified")
  #expect(bench.authorization.updates.isEmpty)
}

@Test func `STOP ends only updates, and CANCEL only requests`() {
  var bench = Bench([a: .always])
  bench.start(1, at: .seconds(10))
  bench.request(1, at: .seconds(10), requiresPress: false)
  #expect(bench.handle(.cancelled(session), at: .seconds(11)).ended == [RequestID(2): .cancelled])
  #expect(bench.handle(.stopped(session), at: .seconds(12)).ended == [RequestID(1): .cancelled])
  #expect(bench.handle(.stopped(session), at: .seconds(12)) == [])
}
