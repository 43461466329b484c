import Authorization
import LineProtocol
import Testing

@testable import Gateway

@Test(.timeLimit(.minutes(10)), arguments: [true, false])
func `owners are warned if a clock gets the time while an app has less than full accuracy`(hasClock: Bool)
  async throws
{
  let output = TimeOutput(socket: "/run/chrony.onefix.sock", delay: .zero) { _ in nil }
  try await Bench.with(timeOutput: hasClock ? output : nil) { bench in
    let parks = try #require(AppID("parks"))
    #expect(await bench.gateway.ownerStatus["warnings"] == nil)
    for accuracy in [FixAccuracy.reduced, .place] {
      await bench.gateway.handle(.ordered(.setAccuracy(parks, accuracy)))
      #expect(await bench.gateway.ownerStatus["warnings"] == (hasClock ? "time-reduced" : nil))
    }
    await bench.gateway.handle(.ordered(.setAccuracy(parks, .full)))
    #expect(await bench.gateway.ownerStatus["warnings"] == nil)
  }
}
