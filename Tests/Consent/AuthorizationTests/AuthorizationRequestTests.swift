import Authorization
import Base
import LineProtocol
import Testing

/// Returns a bench on which app a has asked in session 1 at 10 s, and its open prompt.
private func asking(
  _ standing: Standing, _ requested: RequestedAuthorization, accuracy: FixAccuracy = .full
) throws -> (Bench, Prompt) {
  var record = standing.record(a)
  record.accuracy = accuracy
  var bench = Bench(records: [record])
  let effects = bench.ask(1, requested, at: .seconds(10))
  let prompt = try #require(effects.shown)
  #expect(effects.contains(.ask(bench.last)))
  return (bench, prompt)
}

private let session = SessionID(1)

/// Each answer may reduce the accuracy, but an answer without the text makes no accuracy more precise, not even from a
/// place to a region.
@Test func `B1: "once" may reduce the accuracy, or make it more precise with the text, only for the session`() throws {
  for (accuracy, chosen) in [
    (FixAccuracy.place, FixAccuracy.reduced), (.place, .full), (.reduced, .full), (.full, .reduced),
  ] {
    for showsText in [false, true] {
      var (bench, _) = try asking(.new, .whenInUse, accuracy: accuracy)
      bench.answer(.once, accuracy: chosen, showsText: showsText, at: .seconds(12))
      #expect(bench.authorization.accuracy(of: a, in: session) == (showsText ? chosen : min(chosen, accuracy)))
      #expect(bench.authorization.record(of: a).accuracy == accuracy)
    }
  }
}

@Test(arguments: [
  (Prompt.Kind.authorize, PromptChoice.whileUsing), (.upgrade, .always), (.always, .always), (.precise, .yes),
])
func `"while using", "always" and "precise" are possible only if the text is shown`(
  kind: Prompt.Kind, choice: PromptChoice
) throws {
  let cases: [Prompt.Kind: (Standing, RequestedAuthorization?)] = [
    .authorize: (.new, .whenInUse), .upgrade: (.whenInUse, .always), .always: (.provisional, nil),
    .precise: (.whenInUse, .fullAccuracy),
  ]
  let (standing, requested) = try #require(cases[kind])
  var record = standing.record(a)
  if kind == .precise { record.accuracy = .reduced }
  var bench = Bench(records: [record])
  if let requested { bench.ask(1, requested, at: .seconds(10)) } else { bench.start(1, at: .seconds(10)) }
  let before = bench.authorization.records
  #expect(bench.authorization.prompt?.kind == kind)
  #expect(bench.answer(choice, showsText: false, at: .seconds(12)) == [])
  #expect(
    bench.authorization.prompt?.kind == kind
      && bench.authorization.records.mapValues(\.status) == before.mapValues(\.status))
  #expect(bench.answer(choice, showsText: true, at: .seconds(13)) != [])
  #expect(bench.authorization.prompt == nil)
}

@Test func `B4: requests and starts of denied and restricted apps are answered immediately, without a prompt`() {
  for (standing, restricted, refusal) in [
    (Standing.denied, Set<AppID>(), Refusal.denied), (.always, [a], .restricted), (.new, [a], .restricted),
  ] {
    var bench = Bench([a: standing]) { $0.restrictedApps = restricted }
    for requested in RequestedAuthorization.allCases {
      #expect(bench.ask(1, requested, at: .seconds(10)) == [.refuse(bench.last, refusal)])
    }
    #expect(bench.start(1, at: .seconds(10)) == [.refuse(bench.last, refusal)])
    #expect(bench.request(1, at: .seconds(10), requiresPress: false) == [.accept(bench.last)], "the request arms")
    #expect(bench.authorization.prompt == nil)
  }
}

@Test func `D3: "precise once" holds for this session while in use, and is never saved`() throws {
  for standing in [Standing.whenInUse, .always] {
    var (bench, prompt) = try asking(standing, .fullAccuracy, accuracy: .reduced)
    #expect(prompt.kind == .precise)
    bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(11))
    let effects = bench.answer(.yes, at: .seconds(12))
    #expect(effects.outward == [.close(prompt, .yes), .announce(a)])
    #expect(bench.authorization.accuracy(of: a, in: session) == .full)
    #expect(bench.authorization.accuracy(of: a, in: SessionID(9)) == .reduced)
    #expect(bench.authorization.record(of: a).accuracy == .reduced)
    #expect(bench.handle(.timePassed, at: .seconds(912)) == [.announce(a)])
    #expect(bench.authorization.accuracy(of: a, in: session) == .reduced)
  }
}

@Test func `D3: precise updates end with the use, even if they could continue with reduced accuracy`() throws {
  for standing in [Standing.whenInUse, .always] {
    var (bench, _) = try asking(standing, .fullAccuracy, accuracy: .reduced)
    bench.answer(.yes, at: .seconds(12))
    bench.start(1, at: .seconds(13), background: true)
    bench.handle(.served(bench.last), at: .seconds(14))
    bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(20))
    #expect(bench.handle(.timePassed, at: .seconds(25)).ended == [bench.last: .changed])
  }
}

@Test func `B1: one press allows once: for this session, while in use, without being saved`() throws {
  var (bench, prompt) = try asking(.new, .whenInUse)
  bench.handle(.sessionOpened(SessionID(9), a), at: .seconds(11))
  let effects = bench.press(down: .seconds(12))
  #expect(effects.outward == [.close(prompt, .yes), .announce(a)])
  #expect(effects.saved == [])
  #expect(bench.authorization.visibleStatus(of: a, in: session) == .whenInUse)
  #expect(bench.authorization.visibleStatus(of: a, in: SessionID(9)) == .notDetermined)
  #expect(bench.request(1, at: .seconds(13), requiresPress: false).served.map(\.right) == [.allowedOnce])
  #expect(bench.start(1, at: .seconds(13)).begun.map(\.right) == [.allowedOnce])
  #expect(bench.start(9, at: .seconds(13)) == [.refuse(bench.last, .notDetermined)])
}
