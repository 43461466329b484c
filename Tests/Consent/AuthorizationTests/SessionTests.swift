import Authorization
import Base
import LineProtocol
import Testing

@Test func `a new session takes over the request of a disconnected one, which learns this when it reconnects`() {
  var bench = Bench([a: .confirmed])
  bench.request(1, at: .seconds(1))
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(2))
  #expect(bench.request(9, at: .seconds(2)) == [.refuse(RequestID(2), .alreadyArmed)], "the other session is connected")
  bench.handle(.sessionLost(SessionID(1)), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(4)) == [.end(RequestID(1), .takenOver), .accept(RequestID(3))])
  #expect(bench.press(down: .seconds(5)).served.map(\.session) == [SessionID(9)])
  #expect(bench.authorization.sessions[SessionID(1)]?.isAway == true, "the session may reconnect")
}

@Test func `a new session does not take over a request with an open prompt`() {
  var bench = Bench()
  bench.request(1, at: .seconds(1))
  bench.press(down: .seconds(2))
  bench.handle(.sessionLost(SessionID(1)), at: .seconds(3))
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(3))
  #expect(bench.request(9, at: .seconds(3)) == [.refuse(RequestID(2), .alreadyArmed)])
  #expect(bench.press(down: .seconds(4)).served.map(\.request) == [RequestID(1)])
}

@Test func `the fact that an app has armed is saved, independently of the request's outcome`() {
  var bench = Bench()
  let effects = bench.authorization.handle(
    .requested(RequestID(1), SessionID(1), timeout: .seconds(9), requiresPress: true), at: at(.seconds(1)))
  #expect(effects == [.save(AppRecord(app: a).armed), .accept(RequestID(1))])
  bench.handle(.cancelled(SessionID(1)), at: .seconds(2))
  #expect(bench.authorization.record(of: a).lastServed == 0)
  #expect(bench.request(1, at: .seconds(3)) == [.accept(bench.last)], "the record is saved once")
  bench = Bench([a: .confirmed, b: .confirmed])
  bench.request(2, at: .seconds(1))
  bench.request(1, at: .seconds(2))
  #expect(bench.press(down: .seconds(3)).servedApps == [b], "the app was never served")
}

@Test func `B6: for an app with "allow once", crossings are shown to the owners`() {
  var bench = Bench()
  let crossing = RegionEvent(region: "home", isEntry: true)
  #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(9)) == [])
  bench.ask(1, .whenInUse, at: .seconds(10))
  bench.answer(.once, at: .seconds(12))
  #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(13)) == [.notifyOwners(a, crossing)])
  bench.handle(.stateChanged(SessionID(1), isInBackground: true), at: .seconds(14))
  #expect(bench.handle(.regionCrossed(a, crossing), at: .seconds(20)).outward == [.announce(a)])
}
