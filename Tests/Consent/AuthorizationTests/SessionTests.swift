import Authorization
import Clocks
import Testing

@Test func `a new session takes over the request of one that is away, which is told when it is back`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.happen(.sessionOpened(SessionID(9), a), at: .seconds(2))
  #expect(bench.request(9, at: .seconds(2)) == [.refuse(RequestID(2), .alreadyArmed)], "the other one is here")
  bench.happen(.sessionLost(SessionID(1)), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(4)) == [.end(RequestID(1), .takenOver), .accept(RequestID(3))])
  #expect(bench.press(down: .seconds(5)).served.map(\.session) == [SessionID(9)])
  #expect(bench.authorization.sessions[SessionID(1)]?.isAway == true, "it may come back")
}

@Test func `a new session does not take over a request about which a person is asked`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.happen(.sessionLost(SessionID(1)), at: .seconds(3))
  bench.happen(.sessionOpened(SessionID(9), a), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(3)) == [.refuse(RequestID(2), .alreadyArmed)])
  #expect(bench.press(down: .seconds(4)).served.map(\.request) == [RequestID(1)])
}

@Test func `that an app has armed is kept, whatever becomes of the request`() {
  var bench = Bench()
  let effects = bench.authorization.handle(
    .requested(RequestID(1), SessionID(1), timeout: .seconds(9), requiresPress: true), at: at(.seconds(1)))
  #expect(effects == [.save(AppRecord(app: a).armed), .accept(RequestID(1))])
  bench.happen(.cancelled(SessionID(1)), at: .seconds(2))
  #expect(bench.authorization.record(of: a).lastServed == 0)
  #expect(bench.request(1, at: .seconds(3)) == [.accept(bench.last)], "it is kept once")
  bench = Bench([a: .confirmed, b: .confirmed])
  bench.request(2, at: .seconds(1))
  bench.request(1, at: .seconds(2))
  #expect(bench.press(down: .seconds(3)).servedApps == [b], "never served is never served")
}

@Test func `B6: a region's event is shown to the owners for an app that is allowed once`() {
  var bench = Bench()
  let crossing = RegionEvent(region: "home", isEntry: true)
  #expect(bench.happen(.regionCrossed(a, crossing), at: .seconds(9)) == [])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.answer(.once, at: .seconds(12))
  #expect(bench.happen(.regionCrossed(a, crossing), at: .seconds(13)) == [.notifyOwners(a, crossing)])
  bench.happen(.stateChanged(SessionID(1), isInBackground: true), at: .seconds(14))
  #expect(bench.happen(.regionCrossed(a, crossing), at: .seconds(20)).outward == [.announce(a)])
}
