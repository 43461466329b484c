import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

/// The ways in which an app can come to the status `denied` or `restricted`.
enum Denial: CaseIterable {
  case byOwner, byHold, byAnswer, byConfiguration
}

@Test(arguments: Denial.allCases)
func `a denied app has no implicit request, and waits again when an owner allows it`(denial: Denial) {
  for kind in [RequestKind.watching, .polling] {
    var bench = Bench()
    bench.request(1, at: .seconds(1), kind)
    switch denial {
    case .byOwner:
      #expect(bench.handle(.ordered(.setStatus(a, .denied)), at: .seconds(5)).ended == [RequestID(1): .changed])
    case .byHold, .byAnswer:
      #expect(bench.press(down: .seconds(3)).shown?.kind == .confirm)
      let ended = denial == .byHold ? bench.hold(down: .seconds(4)) : bench.answer(.no, at: .seconds(5))
      #expect(ended.ended == [RequestID(1): .denied])
    case .byConfiguration:
      let effects = bench.configure(at: .seconds(5)) { $0.restrictedApps = [a] }
      #expect(effects.ended == [RequestID(1): .changed])
    }
    #expect(bench.authorization.arms.isEmpty && bench.authorization.markedRequests(of: "main").isEmpty)
    // The client connects again, or its server asks again.
    let refusal: Refusal = denial == .byConfiguration ? .restricted : .denied
    #expect(bench.request(1, at: .seconds(20), kind) == [.refuse(RequestID(2), refusal)])
    let effects = bench.press(down: .seconds(25))
    #expect(effects.shown == nil)
    #expect(effects.contains(.notifyPress(nil, .nothingArmed)), "no app waits")
    // An owner allows the app again. Its sessions receive the new authorization, and ask again.
    let allowed =
      denial == .byConfiguration
      ? bench.configure(at: .seconds(30)) : bench.handle(.ordered(.reset(a)), at: .seconds(30))
    #expect(allowed.contains(.announce(a)))
    #expect(bench.request(1, at: .seconds(31), kind) == [.accept(RequestID(3))])
    #expect(bench.authorization.markedRequests(of: "main").map(\.app) == [a])
    #expect(bench.press(down: .seconds(31.5)).shown == nil, "the mark is new (A9)")
    #expect(bench.press(down: .seconds(33)).shown?.kind == .confirm)
  }
}

@Test func `a client that polls delays other apps for 2 s and no longer, whether its fix was chosen or not`() {
  for chosen in [Duration.milliseconds(2150), .milliseconds(3900), nil] {
    for (down, isServed) in [(Duration.milliseconds(4100) - .nanosecond, false), (.milliseconds(4100), true)] {
      var bench = Bench([a: .confirmed, b: .confirmed])
      bench.request(1, at: .seconds(0.5), .polling)
      #expect(bench.press(down: .seconds(2)).served.map(\.expires) == [at(.milliseconds(4100))])
      bench.request(2, at: .milliseconds(2110))
      if let chosen { bench.handle(.served(RequestID(1)), at: chosen) }
      let effects = bench.press(down: down)
      #expect(effects.servedApps == (isServed ? [b] : []))
      #expect(effects.contains(.blip(.acquiring)) != isServed)
    }
  }
}
