import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

@Test func `"while using", "always" and "precise" are possible only if the text is shown`() {
  let cases: [(Standing, RequestedAuthorization?, PromptChoice)] = [
    (.new, .whenInUse, .whileUsing), (.whenInUse, .always, .always), (.provisional, nil, .always),
    (.whenInUse, .fullAccuracy, .yes),
  ]
  for (standing, requested, choice) in cases {
    var record = standing.record(a)
    if requested == .fullAccuracy { record.accuracy = .reduced }
    var bench = Bench(records: [record])
    if let requested { bench.ask(1, requested, at: .seconds(10)) } else { bench.start(1, at: .seconds(10)) }
    let before = bench.authorization.records
    #expect(bench.answer(choice, showsText: false, at: .seconds(12)) == [])
    #expect(bench.authorization.records == before && bench.authorization.prompt != nil)
    #expect(bench.answer(choice, at: .seconds(13)) != [])
    #expect(bench.authorization.prompt == nil)
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
