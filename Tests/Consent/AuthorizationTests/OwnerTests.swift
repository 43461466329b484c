import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

private let session = SessionID(1)

@Test func `D1: an owner's change ends updates, erases undelivered fixes, and is announced`() {
  for status in [AuthorizationStatus.denied, .notDetermined] {
    for standing in [Standing.whenInUse, .always, .provisional] {
      var bench = Bench([a: standing])
      bench.handle(.ordered(.use(a)), at: .seconds(10))
      bench.start(1, at: .seconds(11))
      bench.request(1, at: .seconds(11), requiresPress: false)
      let effects = bench.handle(.ordered(.setStatus(a, status)), at: .seconds(12))
      #expect(
        Set(effects.outward) == [
          .eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed), .end(RequestID(2), .changed),
        ])
      #expect(bench.authorization.status(of: a) == status && !bench.authorization.isInUse(session))
      #expect(bench.authorization.updates.isEmpty && bench.authorization.grants.isEmpty)
    }
  }
}

@Test func `D1: only the configuration sets or removes "restricted"`() {
  var bench = Bench([a: .whenInUse])
  #expect(bench.handle(.ordered(.setStatus(a, .restricted)), at: .seconds(1)) == [])
  bench = Bench([a: .whenInUse]) { $0.restrictedApps = [a] }
  bench.handle(.ordered(.setStatus(a, .always)), at: .seconds(1))
  bench.handle(.ordered(.use(a)), at: .seconds(1))
  #expect(bench.authorization.status(of: a) == .restricted)
  #expect(bench.start(1, at: .seconds(2)) == [.refuse(bench.last, .restricted)])
}

/// A write of the record takes time, in which the fixes in the queues could still leave.
@Test func `D1: fixes that are not delivered are erased before the lower right is written`() throws {
  func check(_ effects: [Effect]) throws {
    let erased = try #require(effects.firstIndex(of: .eraseUndelivered(a)))
    let written = try #require(effects.firstIndex { if case .save = $0 { true } else { $0 == .forget(a) } })
    #expect(erased < written && effects.count { $0 == .eraseUndelivered(a) } == 1, "\(effects)")
  }
  var reduced = Authorization.Configuration()
  reduced.newAppAccuracy = [a: .reduced]
  for order in [OwnerChange.setStatus(a, .denied), .setAccuracy(a, .reduced), .reset(a), .configure(reduced)] {
    var bench = Bench([a: .always])
    try check(bench.handle(.ordered(order), at: .seconds(1)))
  }
  var bench = Bench([a: .confirmed])
  bench.ask(1, .whenInUse, at: .seconds(10))
  try check(bench.answer(.no, at: .seconds(12)))
}

@Test(arguments: FixAccuracy.allCases, FixAccuracy.allCases)
func `D1: the configuration lowers an accuracy permanently, at a start and at a reload, and raises none`(
  recorded: FixAccuracy, configured: FixAccuracy
) {
  let record = AppRecord(app: a, status: .always, accuracy: recorded)
  let started = Bench(records: [record]) { $0.newAppAccuracy = [a: configured] }
  #expect(started.authorization.record(of: a).accuracy == min(recorded, configured))
  var bench = Bench(records: [record])
  bench.start(1, at: .seconds(11))
  let effects = bench.configure(at: .seconds(12)) { $0.newAppAccuracy = [a: configured] }
  let isLower = configured < recorded
  let expected: Set<Effect> = isLower ? [.eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed)] : []
  #expect(Set(effects.outward) == expected)
  #expect(effects.saved.map(\.accuracy) == (isLower ? [configured] : []))
  #expect(bench.authorization.updates.isEmpty == isLower)
  let later = bench.configure(at: .seconds(13))
  #expect(later.outward == [] && later.saved == [])
  #expect(bench.authorization.accuracy(of: a) == min(recorded, configured))
}

@Test func `D1: a restriction in the configuration ends the app's activity, and other apps continue`() {
  var bench = Bench([a: .always, b: .always])
  bench.start(1, at: .seconds(11))
  bench.start(2, at: .seconds(11))
  let effects = bench.configure(at: .seconds(12)) { $0.restrictedApps = [a] }
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .announce(a), .end(RequestID(1), .changed)])
  #expect(bench.authorization.status(of: a) == .restricted)
  #expect(Array(bench.authorization.updates.keys) == [SessionID(2)])
  // When the restriction is removed, the app has its earlier status, and no use starts.
  let back = bench.configure(at: .seconds(13))
  #expect(back.outward == [.announce(a)])
  #expect(bench.authorization.status(of: a) == .always)
  #expect(bench.configure(at: .seconds(14)).outward == [], "no change, no news")
}

@Test func `D1: lowered accuracies are saved one after the other, so that one transaction can save them`() throws {
  var bench = Bench([a: .always, b: .always, c: .always])
  let effects = bench.configure(at: .seconds(1)) { $0.newAppAccuracy = [a: .reduced, b: .place, c: .reduced] }
  let saves = effects.indices.filter { if case .save = effects[$0] { true } else { false } }
  let first = try #require(saves.first)
  #expect(saves == Array(first..<first + 3))
  #expect(effects[..<first].allSatisfy { if case .eraseUndelivered = $0 { true } else { false } })
}

@Test func `D1: an app that is no longer a display is not in use, and its updates end`() {
  var bench = Bench([a: .whenInUse]) { $0.displays = [a] }
  bench.start(1, at: .seconds(11))
  let effects = bench.configure(at: .seconds(12))
  #expect(Set(effects.outward) == [.eraseUndelivered(a), .end(RequestID(1), .changed)])
  #expect(bench.start(1, at: .seconds(13)) == [.refuse(bench.last, .notInUse)])
}

@Test func `an owner who ends the pause of an app lets it ask again at once, and changes no right`() throws {
  var bench = Bench()
  bench.request(1, at: .zero)
  bench.press(down: .seconds(2))
  bench.handle(.timePassed, at: .seconds(13))
  #expect(bench.authorization.pausedApps(at: at(.seconds(13))) == [a])
  #expect(bench.request(1, at: .seconds(14)).contains { if case .refuse(_, .tooSoon) = $0 { true } else { false } })
  let before = bench.authorization.record(of: a)
  #expect(bench.handle(.ordered(.endPause(b)), at: .seconds(15)) == [], "app b has no pause")
  bench.handle(.ordered(.endPause(a)), at: .seconds(15))
  var after = before
  after.promptPause = nil
  #expect(bench.authorization.record(of: a) == after && bench.authorization.pausedApps(at: at(.seconds(15))).isEmpty)
  bench.request(1, at: .seconds(16))
  bench.press(down: .seconds(18))
  #expect(bench.authorization.prompt?.app == a)
}

@Test
func `D1: an owner who repeats the status of an app closes the open prompt, and the next press does not answer it`()
  throws
{
  for (standing, status) in [(Standing.denied, AuthorizationStatus.denied), (.new, .notDetermined)] {
    var bench = Bench([a: standing])
    bench.request(1, at: .seconds(1))
    let prompt = try #require(bench.press(down: .seconds(2)).shown)
    let effects = bench.handle(.ordered(.setStatus(a, status)), at: .seconds(4))
    #expect(effects == [.close(prompt, .withdrawn), .end(RequestID(1), .changed)])
    bench.press(down: .seconds(6))
    #expect(bench.authorization.record(of: a).status == status && !bench.authorization.record(of: a).isButtonConfirmed)
  }
  for order in [OwnerChange.setAccuracy(a, .full), .reset(a)] {
    var bench = Bench()
    let prompt = try #require(bench.ask(1, .whenInUse, at: .seconds(10)).shown)
    #expect(bench.handle(.ordered(order), at: .seconds(12)).contains(.close(prompt, .withdrawn)))
    #expect(!bench.authorization.isAsking(a))
  }
  // The app does not learn of a prompt for "always".
  var bench = Bench([a: .provisional])
  bench.start(1, at: .seconds(10))
  #expect(bench.handle(.ordered(.setAccuracy(a, .full)), at: .seconds(12)) == [])
}
