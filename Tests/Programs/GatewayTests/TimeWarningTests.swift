import Authorization
import LineProtocol
import Requirements
import Testing

@testable import Gateway

@Test(.patient, arguments: [true, false])
func `the warning about a clock follows the present accuracy of the apps, with and without a saved record`(
  isConfigured: Bool
) async throws {
  var policy = Policy()
  if isConfigured { policy.authorization.newAppAccuracy[parks] = .reduced }
  let bench = try await Bench(policy: policy, clocks: [RecordingClock()], warnings: ["gpsd-beside"])
  let expected = isConfigured ? "gpsd-beside,clock-reduced" : "gpsd-beside"
  let warnings = await bench.gateway.ownerStatus["warnings"]
  // The owner allows the app the full accuracy.
  await bench.gateway.handle(.ordered(.setAccuracy(parks, .full)))
  let later = await bench.gateway.ownerStatus["warnings"]
  await bench.stop()
  #expect(warnings == expected)
  #expect(later == "gpsd-beside")
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
