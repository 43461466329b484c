import AppStandings
import Authorization
import Testing

@Test func `the activities of other apps are not computed again at an event`() {
  var bench = Bench([a: .always, b: .always, c: .always])
  for session in 1...3 as ClosedRange<UInt64> { bench.start(session, at: .seconds(2)) }
  _ = bench.authorization.takeChangedApps()
  bench.handle(.stopped(SessionID(2)), at: .seconds(3))
  #expect(bench.authorization.takeChangedApps() == [b])
}
