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

@Test func `D6: a new end alone ends no updates, also not those with "precise once"`() {
  var record = Standing.confirmed.record(a)
  record.accuracy = .reduced
  var bench = Bench(records: [record])
  bench.allow(.whenInUse, for: hour, at: .seconds(1))
  bench.ask(1, .fullAccuracy, at: .seconds(10))
  bench.answer(.yes, at: .seconds(12))
  bench.start(1, at: .seconds(13))
  #expect(bench.authorization.accuracy(of: a, in: SessionID(1)) == .full && !bench.authorization.updates.isEmpty)
  bench.allow(.whenInUse, for: hour * 2, at: .seconds(14))
  #expect(bench.authorization.nextTimeLimit == at(.seconds(14) + hour * 2))
  #expect(bench.authorization.accuracy(of: a, in: SessionID(1)) == .full && !bench.authorization.updates.isEmpty)
}

@Test func `Use: the time counts while the machine is suspended`() {
  for (slept, isInUse) in [(Duration.seconds(840), true), (.seconds(841), false)] {
    var bench = Bench([a: .whenInUse])
    bench.handle(.ordered(.use(a)), at: .seconds(1))
    bench.handle(.resumed(suspended: slept), at: .seconds(60))
    #expect(bench.authorization.isInUse(SessionID(1)) == isInUse, "\(slept)")
    bench.handle(.timePassed, at: .seconds(61))
    #expect(!bench.authorization.isInUse(SessionID(1)), "the 15 minutes are over")
  }
}

@Test func `D6: a right that ended while the gateway was not running ends with the first event`() {
  var record = AppRecord(app: a, status: .always)
  record.timeLimit = TimeLimit(end: BootInstant(nanoseconds: -5), formerStatus: .denied)
  var authorization = Authorization(records: [record])
  let effects = authorization.handle(.resumed(suspended: .zero), at: at(.zero))
  #expect(effects.contains(.recordEnd(a, of: .always, .denied)) && authorization.status(of: a) == .denied)
}
