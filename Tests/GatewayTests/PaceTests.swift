import Authorization
import Clocks
import Testing

@testable import Gateway

@Test func `what the sessions of an app say together has a burst and a rate, and takes nothing from another app`()
  throws
{
  let (crowd, other) = (try #require(AppID("crowd")), try #require(AppID("other")))
  var pace = Pace()
  let start = MonotonicInstant(nanoseconds: 0)
  func taken(_ app: AppID, of count: Int, at now: MonotonicInstant) -> Int {
    (0..<count).count { _ in pace.take(of: app, at: now) }
  }
  // 1024 sessions of 50 commands each.
  #expect(taken(crowd, of: 51_200, at: start) == 4096)
  #expect(taken(other, of: 50, at: start) == 50)
  #expect(taken(crowd, of: 51_200, at: start + .seconds(1)) == 400)
  #expect(taken(crowd, of: 51_200, at: start + .seconds(3600)) == 4096)
}
