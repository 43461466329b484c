import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// A mechanism of the filter, and a scenario that fails without it.
struct Ablation: Sendable, CustomTestStringConvertible {
  let mechanism: String
  /// The figure of the scenario is at most the first value with the mechanism, and at least the second one without it.
  let good, bad: Double
  /// Switches the mechanism off.
  let without: @Sendable (inout FilterParameters) -> Void
  let figure: @Sendable (FilterParameters) -> Double

  var testDescription: String { mechanism }

  init(
    _ mechanism: String, good: Double, bad: Double, without: @escaping @Sendable (inout FilterParameters) -> Void,
    figure: @escaping @Sendable (FilterParameters) -> Double
  ) {
    (self.mechanism, self.good, self.bad) = (mechanism, good, bad)
    (self.without, self.figure) = (without, figure)
  }
}

/// The results of several seeds.
private func results(_ journey: Journey, _ parameters: FilterParameters) -> [Journey.Result] {
  (1...6 as ClosedRange<UInt64>).flatMap { journey.results(seed: $0, parameters) }
}

extension [Journey.Result] {
  fileprivate func from(_ second: Double, to end: Double = .infinity) -> [Journey.Result] {
    filter { $0.seconds >= second && $0.seconds < end }
  }

  fileprivate var largestError: Double { map(\.error).max() ?? 0 }

  /// Root mean square error as a multiple of that of the measured positions.
  fileprivate var ratio: Double {
    let squares = compactMap { result in result.raw.map { (fix: result.error * result.error, raw: $0 * $0) } }
    return sqrt(squares.map(\.fix).reduce(0, +) / squares.map(\.raw).reduce(0, +))
  }

  /// Share of the fixes with the true position outside `hacc`.
  fileprivate var shareOutside: Double { Double(count { $0.error > $0.accuracy }) / Double(count) }

  fileprivate var path: Double { zip(self, dropFirst()).map { ($1.position - $0.position).length }.reduce(0, +) }
}

extension Ablation {
  static let all: [Ablation] = speed + alternatives + measurement + output

  private static let speed: [Ablation] = [
    // The receiver's white noise of 1 m alone reaches 3.8 m in 1,440 positions (Rayleigh).
    Ablation("calibration", good: 3.2, bad: 3.6, without: { ($0.scaleDeviation, $0.latencyDeviation) = (1e-6, 1e-6) }) {
      var journey = Journey(seconds: 300, noise: 1, position: Journey.straight(30))
      journey.fault = { sample, _ in sample.velocity = Journey.straight(30)(1.05) }
      return results(journey, $0).from(60).largestError
    },
    Ablation("course contradiction", good: 80, bad: 110, without: { $0.courseLasted = .infinity }) {
      var journey = Journey(seconds: 300, noise: 0.3, wander: 1.5, position: Journey.circle(14, radius: 200))
      let frozen = Journey.circle(14, radius: 200)(200.5) - Journey.circle(14, radius: 200)(199.5)
      journey.fault = { sample, _ in if sample.seconds > 200 { sample.velocity = frozen } }
      return results(journey, $0).from(200).largestError
    },
    Ablation("a distance that lasts", good: 1.1, bad: 2, without: { $0.longestContradiction = .infinity }) {
      // The course is wrong by 1.7°.
      let straight = Journey.straight(14)(1)
      var journey = Journey(seconds: 600, noise: 1.2, wander: 2, deviation: 6, position: Journey.straight(14))
      journey.fault = { sample, _ in sample.velocity = straight + Offset(x: -straight.y, y: straight.x) * 0.03 }
      return results(journey, $0).ratio
    },
    Ablation("a course that is the same to the digit", good: 1.1, bad: 1.8, without: { $0.repeatedCourse = .infinity })
    {
      parameters in
      // A road with a gentle bend.
      let road = Journey.circle(30, radius: 3000)
      var journey = Journey(seconds: 300, noise: 0.3, wander: 1.5, position: road)
      journey.fault = { sample, _ in if sample.seconds > 150 { sample.course = 180 } }
      return results(journey, parameters).from(150).ratio
    },
    Ablation("trust evidence", good: 2, bad: 10, without: { $0.trustLost = .infinity }) {
      var journey = Journey(seconds: 300, position: Journey.town)
      journey.fault = { sample, _ in sample.velocity = .zero }
      return results(journey, $0).ratio
    },
  ]

  private static let alternatives: [Ablation] = [
    Ablation("a vehicle could drive there", good: 8, bad: 30, without: { $0.drivenTime = .infinity }) { parameters in
      [3, 5, 8].map { braking in
        let change = Journey.change(from: 25, to: 0, at: 60.3, by: braking)
        return results(Journey(seconds: 90, hasSpeed: false, position: change), parameters).from(60).largestError
      }.reduce(0, max)
    },
    Ablation(
      "acceleration noise without Doppler", good: 1.5, bad: 2, without: { $0.accelerationAlone = $0.acceleration }
    ) {
      let change = Journey.change(from: 30, to: 0, at: 60.3, by: 3)
      return results(Journey(seconds: 90, hasSpeed: false, position: change), $0).from(60).largestError
    },
    Ablation("gap rule", good: 2, bad: 200, without: { $0.longestGap = $0.longestCoasting }) {
      // A stop of 15 s in a tunnel.
      var journey = Journey(seconds: 120) { seconds in
        Offset(x: 20 * (seconds - min(max(seconds - 62, 0), 15)), y: 0)
      }
      journey.fault = { sample, _ in if (60..<80).contains(sample.seconds) { sample.position = nil } }
      return results(journey, $0).from(80).largestError
    },
    Ablation("free fixes", good: 2, bad: 3000, without: { $0.freeFixes = 0 }) {
      var journey = Journey(seconds: 30, position: Journey.straight(10))
      journey.fault = { sample, _ in if sample.index < 2 { sample.position = Offset(x: 3000, y: -2000) } }
      return results(journey, $0).from(2).largestError
    },
  ]

  private static let measurement: [Ablation] = [
    Ablation("settling: noise", good: 0.1, bad: 0.4, without: { $0.settlingShare = 0 }) {
      var journey = Journey(seconds: 30, position: Journey.straight(10))
      journey.fault = { sample, _ in
        sample.position = sample.truth + Offset(x: 12, y: 9) * exp(-sample.seconds / 8)
      }
      return results(journey, $0).shareOutside
    },
    Ablation("settling: own position", good: 1.2, bad: 1.4, without: { $0.settlingOwn = 0 }) {
      var journey = Journey(seconds: 16, noise: 2, deviation: 4, position: Journey.straight(10))
      journey.fault = { sample, _ in
        sample.position = sample.position.map { $0 + Offset(x: 14.4, y: 10.8) * exp(-sample.seconds / 5) }
      }
      return results(journey, $0).from(4).ratio
    },
    Ablation("white noise before it is measured", good: 4, bad: 90, without: { $0.assumedWhiteShare = 0.3 }) {
      var journey = Journey(rate: 5, seconds: 20, deviation: 0.3, position: Journey.straight(14))
      journey.fault = { sample, _ in
        if sample.index == 7 { sample.position = sample.truth + Offset(x: 60, y: -80) }
      }
      return results(journey, $0).largestError
    },
    Ablation(
      "repeated positions", good: 2.5, bad: 30, without: { ($0.repeatedSpeed, $0.repeatedWay) = (.infinity, .infinity) }
    ) {
      var journey = Journey(rate: 10, seconds: 60, noise: 0.2, deviation: 3, position: Journey.straight(14))
      journey.fault = { sample, _ in
        if (400..<435).contains(sample.index) { sample.position = Journey.straight(14)(40) }
      }
      return results(journey, $0).from(10).largestError
    },
  ]

  private static let output: [Ablation] = [
    Ablation("standstill", good: 0.5, bad: 0.9, without: { $0.restReach = 0 }) {
      let journey = Journey(seconds: 300, noise: 0.3, deviation: 3) { _ in .zero }
      let measured = journey.samples(seed: 1).compactMap(\.position)
      let path = zip(measured, measured.dropFirst()).map { ($1 - $0).length }.reduce(0, +)
      return journey.results($0).path / path
    },
    Ablation("a receiver that holds its position", good: 1e-6, bad: 0.05, without: { $0.holding = 0 }) {
      // The figure is the largest difference between the errors of the fix and of the receiver.
      let journey = Journey(seconds: 90, noise: 0.05) { _ in .zero }
      return journey.results($0).from(30).map { abs($0.error - ($0.raw ?? 0)) }.max() ?? 0
    },
    Ablation("quantile of the residuals", good: 0.1, bad: 0.2, without: { $0.leastResiduals = .max }) {
      let journey = Journey(seconds: 300, noise: 3, deviation: 1, hasSpeed: false, position: Journey.straight(5))
      return results(journey, $0).from(60).shareOutside
    },
    Ablation("bound from the receiver's own radius", good: 2.1, bad: 2.3, without: { $0.mostWrong = 0 }) {
      // The mean of many positions is better than each of them, but their bias is unknown.
      let journey = Journey(seconds: 900, noise: 2, deviation: 6) { _ in .zero }
      return results(journey, $0).map { 1.51 * 6 / $0.accuracy }.max() ?? 0
    },
    Ablation("white noise in the residuals", good: 0.96, bad: 0.99, without: { $0.residualWhite = 0 }) {
      let journey = Journey(seconds: 300, noise: 2, wander: 2, deviation: 2.8, position: Journey.straight(5))
      return 1 - results(journey, $0).from(60).shareOutside
    },
  ]
}

@Test(arguments: Ablation.all)
func `each mechanism has a scenario that fails without it`(ablation: Ablation) {
  var parameters = FilterParameters.standard
  #expect(ablation.figure(parameters) <= ablation.good)
  ablation.without(&parameters)
  #expect(ablation.figure(parameters) >= ablation.bad)
}
