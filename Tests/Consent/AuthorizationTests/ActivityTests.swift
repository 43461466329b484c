import Authorization
import Testing

@Suite struct ActivityTests {
  @Test func `an app sees only the activity that its own requests cause`() {
    var bench = Bench([a: .always, b: .always])
    bench.handle(.ordered(.use(a)), at: .seconds(1))
    bench.start(1, at: .seconds(2))
    #expect(bench.authorization.activity(of: a) == .waiting && bench.authorization.areUpdatesInSight)
    #expect(bench.authorization.takeChangedApps() == [a])
    bench.handle(.served(bench.last), at: .seconds(3))
    #expect(bench.authorization.activity(of: a) == .inUse && bench.authorization.activity(of: b) == nil)
    #expect(bench.authorization.takeChangedApps() == [a])
    bench.handle(.stopped(SessionID(1)), at: .seconds(4))
    #expect(bench.authorization.activity(of: a) == nil && !bench.authorization.areUpdatesInSight)
  }

  @Test func `the activities of other apps are not computed again at an event`() {
    var bench = Bench([a: .always, b: .always, c: .always])
    for session in 1...3 as ClosedRange<UInt64> { bench.start(session, at: .seconds(2)) }
    _ = bench.authorization.takeChangedApps()
    bench.handle(.stopped(SessionID(2)), at: .seconds(3))
    #expect(bench.authorization.takeChangedApps() == [b])
  }
}
