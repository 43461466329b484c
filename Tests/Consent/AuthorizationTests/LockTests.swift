import AppStandings
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
