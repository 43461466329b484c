import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

private let hour = Duration.seconds(3600)

extension Bench {
  @discardableResult
  fileprivate mutating func allow(
    _ status: AuthorizationStatus, for duration: Duration?, at time: Duration
  ) -> [Effect] { handle(.ordered(.setStatus(a, status, for: duration)), at: time) }
}

@Test(arguments: [Standing.new, .confirmed, .denied])
func `D6: the right ends at its time, and the former status comes back`(standing: Standing) {
  var bench = Bench([a: standing])
  let before = bench.authorization.record(of: a)
  bench.allow(.always, for: hour * 2, at: .seconds(10))
  bench.start(1, at: .seconds(10) + hour * 2 - .seconds(30))
  #expect(bench.authorization.nextTimeLimit == at(.seconds(10) + hour * 2))
  #expect(bench.handle(.timePassed, at: .seconds(10) + hour * 2 - .nanosecond).outward == [])
  let effects = bench.handle(.timePassed, at: .seconds(10) + hour * 2)
  var after = before
  after.isButtonConfirmed = standing == .confirmed
  #expect(
    effects.filter { $0 != .checkLegibility } == [
      .eraseUndelivered(a), .recordEnd(a, of: .always, before.status), .save(after), .announce(a),
      .end(bench.last, .changed),
    ])
  #expect(bench.authorization.record(of: a) == after && bench.authorization.updates.isEmpty)
}

@Test func `D6: the kill switch, a reload and a change of the accuracy do not move the end`() {
  var bench = Bench([a: .confirmed])
  bench.allow(.always, for: hour, at: .zero)
  bench.handle(.ordered(.setAccuracy(a, .reduced)), at: .seconds(1))
  bench.handle(.lockOrdered, at: .seconds(2))
  bench.configure(at: .seconds(3)) { $0.restrictedApps = [a] }
  #expect(bench.authorization.timeLimit(of: a) == nil, "a restricted app has no right that could end")
  bench.configure(at: .seconds(4))
  #expect(bench.authorization.nextTimeLimit == at(hour))
  bench.handle(.timePassed, at: hour)
  #expect(bench.authorization.status(of: a) == .notDetermined && bench.authorization.accuracy(of: a) == .reduced)
}

@Test func `D6: a right that ended while the gateway was not running ends with the first event`() {
  var record = AppRecord(app: a, status: .always)
  record.timeLimit = TimeLimit(end: BootInstant(nanoseconds: -5), formerStatus: .denied)
  var authorization = Authorization(records: [record])
  let effects = authorization.handle(.resumed(suspended: .zero), at: at(.zero))
  #expect(effects.contains(.recordEnd(a, of: .always, .denied)) && authorization.status(of: a) == .denied)
}
