import AppStandings
import Authorization
import Base
import LineProtocol
import Testing

// The mark of a button. (A9)

extension Bench {
  /// The apps that the next press of a button serves.
  fileprivate func marked(_ button: String = "main") -> [AppID] {
    authorization.markedRequests(of: button).map(\.app)
  }
}

/// Confirmed app a is armed at 1 s, or at another time. Confirmed app b, which comes before app a, is armed at 10 s.
private func overtaken(armed: Duration = .seconds(1)) -> Bench {
  var record = Standing.confirmed.record(a)
  record.lastServed = 1
  var bench = Bench(records: [record, Standing.confirmed.record(b)])
  bench.request(1, at: armed)
  bench.request(2, at: .seconds(10))
  return bench
}

@Test(arguments: [
  (Duration.zero, [a]), (.nanosecond, []), (.milliseconds(500), []), (.seconds(1) - .nanosecond, []),
  (.seconds(1), [b]),
])
func `A9: a press serves the app that had the mark throughout the second before the down edge`(
  after: Duration, served: [AppID]
) {
  for delay in [Duration.zero, .seconds(50)] {
    var bench = overtaken()
    #expect(bench.marked() == [b])
    let effects = bench.press(down: .seconds(10) + after, heard: .milliseconds(10_100) + after + delay)
    #expect(effects.servedApps == served)
    if served.isEmpty {
      #expect(effects == [.notifyPress(SessionID(2), .armedTooLate), .blip(.nothingWaiting)], "app a learns nothing")
    }
  }
}

@Test func `A9: a press at the end of a mark serves the app after a mark of 1 s, and not after a shorter mark`() {
  for (armed, served) in [(Duration.seconds(9), [a]), (.seconds(9) + .nanosecond, [])] {
    var bench = overtaken(armed: armed)
    #expect(bench.press(down: .seconds(10)).servedApps == served)
  }
}

@Test func `A9: a press of almost 10 s that is handled almost 60 s later serves the app that had the mark before it`() {
  var bench = overtaken()
  // The mark moves shortly before the gateway handles the press.
  bench.request(3, at: .seconds(80) - .nanoseconds(3))
  let effects = bench.press(down: .seconds(10), up: .seconds(20) - .nanosecond, heard: .seconds(80) - .nanoseconds(2))
  #expect(effects.servedApps == [a])
}

@Test func `A9: after a change of the apps of a button, its mark is new`() {
  var bench = overtaken()
  bench.configure(at: .seconds(20)) { $0.boundApps = ["side": [a]] }
  var other = bench
  #expect(bench.press("side", down: .milliseconds(20_999)) == [.blip(.nothingWaiting)])
  #expect(other.press("main", down: .milliseconds(20_999)) == [.blip(.nothingWaiting)])
  #expect(bench.press("side", down: .seconds(21)).servedApps == [a])
}
