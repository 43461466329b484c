import Authorization
import LineProtocol
import Requirements
import Testing

@testable import Gateway

@Test(.patient)
func `the warning about a clock follows the present accuracy of an app without a saved record`() async throws {
  let policy = Policy { $0.authorization.newAppAccuracy[parks] = .reduced }
  try await Bench(policy: policy, clocks: [RecordingClock()], warnings: ["gpsd-beside"]).run { bench in
    #expect(await bench.gateway.ownerStatus["warnings"] == "gpsd-beside,clock-reduced")
    // The owner allows the app the full accuracy.
    await bench.gateway.handle(.ordered(.setAccuracy(parks, .full)))
    #expect(await bench.gateway.ownerStatus["warnings"] == "gpsd-beside")
  }
}

@Test(.patient, arguments: [true, false])
func `owners are warned if a clock gets the time while an app has less than full accuracy`(hasClock: Bool)
  async throws
{
  try await Bench(confirmed(), clocks: hasClock ? [RecordingClock()] : []).run { bench in
    #expect(await bench.gateway.ownerStatus["warnings"] == nil)
    for accuracy in [FixAccuracy.reduced, .place] {
      await bench.gateway.handle(.ordered(.setAccuracy(parks, accuracy)))
      #expect(await bench.gateway.ownerStatus["warnings"] == (hasClock ? "clock-reduced" : nil))
    }
    await bench.gateway.handle(.ordered(.setAccuracy(parks, .full)))
    #expect(await bench.gateway.ownerStatus["warnings"] == nil)
  }
}
