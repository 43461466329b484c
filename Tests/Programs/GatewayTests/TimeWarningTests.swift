import Authorization
import LineProtocol
import Testing

@testable import Gateway

@Test(.timeLimit(.minutes(10)), arguments: [true, false])
func `the warning about a clock follows the present accuracy of the apps, with and without a saved record`(
  isConfigured: Bool
) async throws {
  let output = TimeOutput(socket: "/run/chrony.onefix.sock", delay: .zero) { _ in nil }
  let parks = try #require(AppID("parks"))
  var policy = Policy()
  if isConfigured { policy.authorization.newAppAccuracy[parks] = .reduced }
  // At its start the daemon found that the configuration reduces the accuracy of the app.
  let bench = try await Bench(policy: policy, timeOutput: output, warnings: ["time-reduced", "gpsd-beside"])
  let expected = isConfigured ? "gpsd-beside,time-reduced" : "gpsd-beside"
  let warnings = await bench.gateway.ownerStatus["warnings"]
  // The owner allows the app the full accuracy.
  await bench.gateway.handle(.ordered(.setAccuracy(parks, .full)))
  let later = await bench.gateway.ownerStatus["warnings"]
  await bench.stop()
  #expect(warnings == expected)
  #expect(later == "gpsd-beside")
}

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
