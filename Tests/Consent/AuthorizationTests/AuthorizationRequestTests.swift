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

@Test(arguments: [RequestedAuthorization.whenInUse, .always])
func `B1, B2: a new app's request is answered immediately, and the user is asked`(requested: RequestedAuthorization)
  throws
{
  let (bench, prompt) = try asking(.new, requested)
  #expect(
    prompt.kind == (requested == .always ? .authorizeAlways : .authorize) && prompt.app == a && prompt.press == nil)
  #expect(prompt.deadline == at(.seconds(70)))
  #expect(bench.authorization.visibleStatus(of: a, in: session) == .notDetermined)
}

@Test func `B1: "while in use" is saved, begins use, and is visible to the app`() throws {
  var (bench, prompt) = try asking(.new, .whenInUse)
  let effects = bench.answer(.whileUsing, at: .seconds(12))
  #expect(effects.outward == [.close(prompt, .yes), .announce(a)])
  #expect(bench.authorization.record(of: a).status == .whenInUse && !bench.authorization.record(of: a).isProvisional)
  #expect(bench.start(1, at: .seconds(13)).begun.map(\.right) == [.whenInUse])
}

@Test func `B1: "don't allow" denies, and begins no use`() throws {
  var (bench, prompt) = try asking(.new, .whenInUse)
  let effects = bench.hold(down: .seconds(12))
  #expect(effects.outward == [.close(prompt, .no), .eraseUndelivered(a), .announce(a)])
  #expect(bench.authorization.status(of: a) == .denied && !bench.authorization.isLocked)
  #expect(!bench.authorization.isInUse(session))
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

@Test func `B1: after "allow once", updates end with the use, with or without "background"`() throws {
  var (bench, _) = try asking(.new, .whenInUse)
  bench.press(down: .seconds(12))
  #expect(bench.start(1, at: .seconds(13), background: true).begun.map(\.goesOnInBackground) == [false])
  bench.handle(.served(bench.last), at: .seconds(14))
  bench.handle(.stateChanged(session, isInBackground: true), at: .seconds(20))
  #expect(bench.handle(.timePassed, at: .seconds(25)).outward == [.announce(a), .end(bench.last, .notInUse)])
}

@Test func `B1: each answer may reduce the accuracy, and may raise it only if the text is shown`() throws {
  var (bench, _) = try asking(.new, .whenInUse)
  bench.answer(.whileUsing, accuracy: .reduced, at: .seconds(12))
  #expect(bench.authorization.record(of: a).accuracy == .reduced)

  for showsText in [true, false] {
    (bench, _) = try asking(.new, .whenInUse, accuracy: .reduced)
    bench.answer(.once, accuracy: .full, showsText: showsText, at: .seconds(12))
    #expect(bench.authorization.accuracy(of: a, in: session) == (showsText ? .full : .reduced))
    #expect(bench.authorization.record(of: a).accuracy == .reduced)
  }
  (bench, _) = try asking(.new, .whenInUse)
  bench.answer(.once, accuracy: .reduced, at: .seconds(12))
  #expect(bench.authorization.accuracy(of: a, in: session) == .reduced)
  #expect(bench.authorization.record(of: a).accuracy == .full)
}

@Test func `B1: an answer without the text makes no accuracy more precise, not even from a place to a region`() throws {
  for (accuracy, chosen) in [(FixAccuracy.place, FixAccuracy.reduced), (.place, .full), (.reduced, .full)] {
    for showsText in [false, true] {
      var (bench, _) = try asking(.new, .whenInUse, accuracy: accuracy)
      bench.answer(.once, accuracy: chosen, showsText: showsText, at: .seconds(12))
      #expect(bench.authorization.accuracy(of: a, in: session) == (showsText ? chosen : accuracy))
    }
  }
}

@Test func `A1, A4: an answer may reduce the accuracy`() {
  for standing in [Standing.new, .denied] {
    var bench = Bench([a: standing])
    bench.request(1, at: .seconds(1))
    bench.press(down: .seconds(2))
    #expect(bench.answer(.yes, accuracy: .reduced, at: .seconds(4)).servedApps == [a])
    #expect(bench.authorization.record(of: a).accuracy == .reduced)
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

@Test func `a press without the text keeps the present authorization, unless it may allow once`() throws {
  for (standing, requested) in [(Standing.whenInUse, RequestedAuthorization.always), (.whenInUse, .fullAccuracy)] {
    for showsText in [false, true] {
      var (bench, prompt) = try asking(standing, requested, accuracy: .reduced)
      let effects = bench.press(down: .seconds(12), showsText: showsText)
      #expect(effects.outward == [.close(prompt, .no), .announce(a)])
      #expect(bench.authorization.status(of: a) == .whenInUse)
      #expect(bench.authorization.accuracy(of: a, in: session) == .reduced)
      #expect(!bench.authorization.isInUse(session), "the answer \"keep\" begins no use")
    }
  }
}

@Test func `B2: if an app asked for "always", "while in use" is provisional and the app sees "always"`() throws {
  var (bench, _) = try asking(.new, .always)
  bench.answer(.whileUsing, at: .seconds(12))
  let record = bench.authorization.record(of: a)
  #expect(record.status == .whenInUse && record.isProvisional && record.hasAskedUpgrade)
  #expect(bench.authorization.visibleStatus(of: a, in: session) == .always)
  #expect(bench.ask(1, .always, at: .seconds(20)) == [.present(bench.last)])
}

@Test func `B3: an app may ask for the upgrade to "always" only once`() throws {
  for choice in [PromptChoice.always, .keep, .no] {
    var (bench, prompt) = try asking(.whenInUse, .always)
    #expect(prompt.kind == .upgrade)
    #expect(bench.authorization.record(of: a).hasAskedUpgrade, "the record is saved before an answer")
    bench.answer(choice, at: .seconds(12))
    #expect(bench.authorization.status(of: a) == (choice == .always ? .always : .whenInUse))
    bench = Bench(records: Array(bench.authorization.records.values))
    #expect(bench.ask(1, .always, at: .seconds(20)) == [.present(bench.last)])
  }
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

@Test(arguments: [Duration.seconds(26), .seconds(13)])
func `B6: "allow once" ends with the use, and the app may ask again`(background: Duration) throws {
  var (bench, _) = try asking(.new, .whenInUse)
  bench.press(down: .seconds(12))
  bench.handle(.stateChanged(session, isInBackground: true), at: background)
  #expect(bench.handle(.timePassed, at: background + .seconds(5)) == [.announce(a)])
  #expect(bench.authorization.visibleStatus(of: a, in: session) == .notDetermined)
  #expect(bench.ask(1, .whenInUse, at: .seconds(40)).shown?.kind == .authorize)
}

@Test func `B6: "allow once" ends with the session, at a restart, and 15 min after the user's last act`() throws {
  var (bench, _) = try asking(.new, .whenInUse)
  bench.press(down: .seconds(12))
  var other = bench
  other.handle(.sessionEnded(session), at: .seconds(13))
  other.handle(.sessionOpened(session, a), at: .seconds(13))
  #expect(other.authorization.visibleStatus(of: a, in: session) == .notDetermined)
  other = Bench(records: Array(bench.authorization.records.values))
  #expect(other.authorization.visibleStatus(of: a, in: session) == .notDetermined)
  #expect(bench.handle(.timePassed, at: .milliseconds(912_100) - .nanosecond) == [])
  #expect(bench.handle(.timePassed, at: .milliseconds(912_100)) == [.announce(a)])
  #expect(bench.start(1, at: .seconds(913)) == [.refuse(bench.last, .notDetermined)])
}

@Test func `B7: other requests are answered with the present status`() throws {
  for (standing, requests) in [
    (Standing.whenInUse, [RequestedAuthorization.whenInUse, .fullAccuracy]), (.always, RequestedAuthorization.allCases),
    (.provisional, RequestedAuthorization.allCases), (.refused, RequestedAuthorization.allCases),
    (.new, [.fullAccuracy]),
  ] {
    var bench = Bench([a: standing])
    for requested in requests {
      #expect(bench.ask(1, requested, at: .seconds(10)) == [.present(bench.last)], "\(standing)")
    }
  }
  var (bench, _) = try asking(.new, .whenInUse)
  #expect(bench.ask(1, .always, at: .seconds(11)) == [.present(bench.last)], "the app has a prompt")
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

@Test func `D3: "no" keeps the accuracy reduced`() throws {
  var (bench, prompt) = try asking(.whenInUse, .fullAccuracy, accuracy: .reduced)
  #expect(bench.hold(down: .seconds(12)).outward == [.close(prompt, .no), .announce(a)])
  #expect(bench.authorization.accuracy(of: a, in: session) == .reduced && !bench.authorization.isLocked)
}

@Test(arguments: [PromptChoice.keep, .no])
func `an accuracy that is chosen together with "keep" or "no" applies, unless it gives more`(choice: PromptChoice)
  throws
{
  for (before, chosen) in [(FixAccuracy.full, FixAccuracy.reduced), (.reduced, .place), (.reduced, .full)] {
    var (bench, _) = try asking(.whenInUse, .always, accuracy: before)
    let effects = bench.answer(choice, accuracy: chosen, at: .seconds(12))
    let expected = min(before, chosen)
    #expect(bench.authorization.record(of: a).accuracy == expected)
    #expect(bench.authorization.record(of: a).status == .whenInUse)
    #expect(effects.contains(.eraseUndelivered(a)) == (chosen < before))
    let recorded = effects.compactMap { if case .recordAnswer(_, _, let accuracy) = $0 { accuracy } else { nil } }
    #expect(recorded == (chosen < before ? [chosen] : []), "the log has the accuracy only if it applies")
  }
}
