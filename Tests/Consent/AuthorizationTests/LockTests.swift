import Authorization
import Base
import LineProtocol
import Testing

@Test func `D2: a hold without a prompt is the kill switch: everything is ended, erased and announced`() throws {
  var bench = Bench([a: .confirmed, b: .always, c: .denied])
  for session: UInt64 in 1...3 { bench.request(session, at: .seconds(1)) }
  bench.press(down: .seconds(2))
  let effects = bench.hold(down: .seconds(4))
  #expect(effects.first == .eraseUndelivered(nil))
  #expect(
    Set(effects.outward) == [
      .eraseUndelivered(nil), .end(RequestID(1), .locked), .end(RequestID(2), .locked), .end(RequestID(3), .locked),
      .announceLock(true),
    ])
  #expect(effects.contains(.saveLock(true)))
  #expect(bench.authorization.isLocked && bench.authorization.arms.isEmpty && bench.authorization.grants.isEmpty)
  #expect(bench.authorization.nextDeadline == nil)
}

@Test func `D2: a hold during a prompt answers no, and is the kill switch only if it continues`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.request(2, at: .seconds(1))
  bench.press(down: .seconds(2))
  #expect(!bench.hold(down: .seconds(4)).contains(.announceLock(true)))
  #expect(bench.authorization.isArmed(b), "the answer concerns the app of the prompt")
  #expect(bench.hold(down: .seconds(4), 2).contains(.announceLock(true)))
  #expect(bench.authorization.isLocked && bench.authorization.arms.isEmpty)
}

@Test func `D2: only the hold that answered no can continue as the kill switch`() {
  for (button, down) in [("side", Duration.seconds(4)), ("main", .seconds(4) + .nanosecond), ("main", .seconds(1))] {
    var bench = Bench()
    bench.request(1, at: .seconds(1))
    bench.press(down: .seconds(2))
    bench.hold("main", down: .seconds(4))
    #expect(bench.hold(button, down: down, 2) == [])
    #expect(!bench.authorization.isLocked)
  }
}

@Test func `D2: a hold during a prompt, with a fix in flight, answers no and is the kill switch`() throws {
  for standing in [Standing.new, .denied] {
    var bench = Bench([a: .always, b: standing])
    bench.request(1, at: .seconds(1), requiresPress: false)
    bench.request(2, at: .seconds(1))
    let prompt = try #require(bench.press(down: .seconds(3)).shown)
    let effects = bench.hold(down: .seconds(5))
    #expect(effects.contains(.close(prompt, .no)) && effects.contains(.eraseUndelivered(nil)))
    #expect(effects.contains(.end(RequestID(1), .locked)) && effects.contains(.end(RequestID(2), .denied)))
    #expect(bench.authorization.isLocked && bench.authorization.status(of: b) == .denied)
    bench.hold(down: .seconds(5), 2)
    #expect(bench.authorization.isLocked, "the hold that locked does not unlock")
  }
}

@Test func `D2: only a hold unlocks`() {
  var bench = Bench([a: .always])
  bench.handle(.lockOrdered, at: .seconds(1))
  bench.request(1, at: .seconds(2))
  bench.press(down: .seconds(3))
  bench.handle(.lockOrdered, at: .seconds(4))
  bench.handle(.sessionEnded(SessionID(1)), at: .seconds(5))
  bench.handle(.sessionOpened(SessionID(1), a), at: .seconds(5))
  bench.handle(.answered(prompt: 1, Answer(.yes, showsText: true)), at: .seconds(6))
  bench.handle(.timePassed, at: .seconds(1_000_000))
  #expect(bench.authorization.isLocked)
  #expect(bench.hold(down: .seconds(1_000_001)) == [.saveLock(false), .announceLock(false)])
  #expect(!bench.authorization.isLocked)
}

@Test func `D2: one hold does not both lock and unlock`() {
  var bench = Bench()
  bench.hold(down: .seconds(1))
  #expect(bench.authorization.isLocked)
  #expect(bench.hold(down: .seconds(1), 2) == [])
  #expect(bench.authorization.isLocked)
  bench.hold(down: .seconds(10))
  #expect(!bench.authorization.isLocked)
  #expect(bench.hold(down: .seconds(10), 2) == [])
  #expect(!bench.authorization.isLocked)
}

@Test(arguments: [
  (Duration.seconds(5), true), (.seconds(5) - .nanosecond, false), (.seconds(3), false), (.seconds(6), true),
])
func `D2: a hold that began before the lock does not unlock`(down: Duration, unlocks: Bool) {
  // The user meant to lock: two buttons were held, or an owner locked at the same time.
  for isHeld in [true, false] {
    var bench = Bench()
    if isHeld { bench.hold("side", down: .seconds(2)) } else { bench.handle(.lockOrdered, at: .seconds(5)) }
    bench.hold("main", down: down)
    #expect(bench.authorization.isLocked == !unlocks)
    bench.hold("main", down: down, 2)
    #expect(bench.authorization.isLocked == !unlocks)
  }
}

@Test func `D2: a lock survives a restart and is released by a hold`() {
  var authorization = Authorization(isLocked: true)
  _ = authorization.handle(.sessionOpened(SessionID(1), a), at: at(.seconds(1)))
  #expect(
    authorization.handle(
      .requested(RequestID(1), SessionID(1), timeout: .seconds(9), requiresPress: true), at: at(.seconds(1)))
      == [.refuse(RequestID(1), .locked)])
  let hold = Hold(button: "main", down: at(.seconds(2)), multiple: 1)
  #expect(authorization.handle(.held(hold), at: at(.seconds(5))) == [.saveLock(false), .announceLock(false)])
}

@Test func `D4: while locked, requests are refused, presses report only the lock, and no prompt opens`() {
  for standing in Standing.allCases {
    var bench = Bench([a: standing])
    bench.request(1, at: .seconds(1))
    bench.handle(.lockOrdered, at: .seconds(2))
    #expect(bench.request(1, at: .seconds(3)) == [.refuse(RequestID(2), .locked)])
    #expect(bench.press(down: .seconds(4)) == [.notifyPress(nil, .locked)])
    #expect(!bench.authorization.expectsPress(of: "main", down: at(.seconds(4))))
    #expect(bench.authorization.record(of: a) == standing.record(a).armed)
  }
}

@Test func `D4: an arm from before a lock is not served after it`() {
  var bench = Bench([a: .always])
  bench.request(1, at: .seconds(1))
  bench.hold(down: .seconds(2))
  bench.hold(down: .seconds(6))
  #expect(bench.press(down: .seconds(12)).servedApps == [])
}

@Test func `D4: a lock closes the prompt without an answer and without a pause`() throws {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  let prompt = try #require(bench.press(down: .seconds(2)).shown)
  let effects = bench.handle(.lockOrdered, at: .seconds(3))
  #expect(effects.contains(.close(prompt, .locked)) && effects.contains(.end(RequestID(1), .locked)))
  #expect(bench.authorization.record(of: a) == AppRecord(app: a).armed)
  #expect(bench.handle(.answered(prompt: prompt.id, Answer(.yes, showsText: true)), at: .seconds(4)) == [])
}
