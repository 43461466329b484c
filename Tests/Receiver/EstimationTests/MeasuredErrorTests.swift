import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// Journeys with the errors of their fixes, as a run of this test has measured them. A change of a constant or of a term
/// of the filter changes a figure. `Scripts/bench` then says whether the filter has become better or worse, and the new
/// figure replaces the former one.
private struct MeasuredErrors: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The root mean square of the distances between fix and truth, and the mean of the stated accuracy (68 %), metres.
  let error, accuracy: Double
  let journey: @Sendable () -> Journey

  static let all: [MeasuredErrors] = [
    .init(testDescription: "in town", error: 2.128, accuracy: 3.453) {
      Journey(seconds: 600, noise: 1.5, wander: 1, position: Journey.town)
    },
    .init(testDescription: "in town without speed", error: 2.739, accuracy: 4.460) {
      Journey(seconds: 600, noise: 1.5, wander: 1, hasSpeed: false, position: Journey.town)
    },
    .init(testDescription: "on a circle at 10 Hz", error: 2.764, accuracy: 4.978) {
      Journey(rate: 10, seconds: 120, noise: 1.5, wander: 1, position: Journey.circle(8, radius: 40))
    },
    .init(testDescription: "at rest", error: 2.859, accuracy: 5.220) {
      Journey(seconds: 600, noise: 3, wander: 2, deviation: 4, position: Journey.straight(0))
    },
    .init(testDescription: "with a gap each minute", error: 14.018, accuracy: 8.024) {
      Journey(seconds: 600, noise: 1.5, wander: 1, position: Journey.circle(12, radius: 60)) { sample, _ in
        if sample.index % 60 >= 50 { (sample.position, sample.velocity) = (nil, nil) }
      }
    },
    .init(testDescription: "with repeated positions and no speed", error: 11.738, accuracy: 5.636) {
      let town = Journey.town
      return Journey(seconds: 600, noise: 0.3, hasSpeed: false, position: town) { sample, _ in
        if sample.index % 8 >= 5 { sample.position = town(Double(sample.index / 8 * 8 + 4)) }
      }
    },
    .init(testDescription: "with velocities that are 5 % too long and late", error: 2.279, accuracy: 3.357) {
      Journey(seconds: 600, noise: 1, wander: 1, position: Journey.town) { sample, _ in
        sample.velocity = (Journey.town(sample.seconds - 0.5) - Journey.town(sample.seconds - 1.5)) * 1.05
      }
    },
    .init(testDescription: "with outliers", error: 1.851, accuracy: 3.725) {
      Journey(seconds: 600, noise: 1, wander: 1, position: Journey.town) { sample, random in
        let (direction, isOutlier) = (random.uniform(0...2 * .pi), random.uniform(0...1) < 0.05)
        let offset = Offset(x: sin(direction), y: cos(direction)) * (isOutlier ? 50 : 0)
        sample.position = sample.position.map { $0 + offset }
      }
    },
  ]
}

@Test(arguments: MeasuredErrors.all)
private func `the errors of a known journey are as measured`(measured: MeasuredErrors) {
  let results = measured.journey().results()
  let error = sqrt(results.map { $0.error * $0.error }.reduce(0, +) / Double(results.count))
  let accuracy = results.map(\.accuracy).reduce(0, +) / Double(results.count)
  #expect(abs(error - measured.error) < 0.000_6, "measured: \(error)")
  #expect(abs(accuracy - measured.accuracy) < 0.000_6, "measured: \(accuracy)")
}

/// The altitude of a vehicle that drives over hills. The receiver reports 5 m, and its white noise has 4 m.
@Test func `the errors of known altitudes are as measured`() throws {
  var random = SplitMix64(seed: 7)
  func height(_ index: Int) -> Double { 400 + 30 * sin(Double(index) / 40) }
  let epochs = Course().epochs(600).enumerated().map { index, epoch in
    var epoch = epoch
    (epoch.mode, epoch.altitude) = (.threeDimensional, height(index) + 4 * random.normal())
    epoch.errorStatistics?.altitude = 5
    return epoch
  }
  let fixes = try filtered(epochs).map { try #require($0) }
  let squares = try fixes.enumerated().map { index, fix in pow(try #require(fix.altitude) - height(index), 2) }
  let error = sqrt(squares.reduce(0, +) / 600)
  let accuracy = fixes.compactMap(\.verticalAccuracy).reduce(0, +) / 600
  #expect(abs(error - 1.985) < 0.000_6, "measured: \(error)")
  #expect(abs(accuracy - 5.478) < 0.000_6, "measured: \(accuracy)")
}
