import Base
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// Numbers that no receiver sends in normal operation.
private let wild: [Double] = [
  .nan, .infinity, -.infinity, 0, -0.0, -1, .leastNonzeroMagnitude, 1e300, -1e300, 360, 1e9, .greatestFiniteMagnitude,
]

private func wildEpoch(_ random: inout SplitMix64, at seconds: Double) -> Epoch {
  func value(_ usual: ClosedRange<Double>) -> Double? {
    switch random.uniform(0...1) {
    case ..<0.2: nil
    case ..<0.5: wild.randomElement(using: &random)
    default: random.uniform(usual)
    }
  }
  var epoch = Course.epoch(at: seconds)
  if random.uniform(0...1) < 0.2 { epoch.date = nil }
  if random.uniform(0...1) < 0.1 { epoch.timeOfDay = nil }
  if random.uniform(0...1) < 0.9 {
    let isFar = random.uniform(0...1) < 0.1
    let (latitude, longitude) = isFar ? (-90.0...90, -180.0...180) : (47.0...47.001, 8.0...8.001)
    epoch.coordinate = Coordinate(latitude: random.uniform(latitude), longitude: random.uniform(longitude))
  }
  epoch.mode = [.twoDimensional, .threeDimensional, nil].randomElement(using: &random) ?? nil
  epoch.quality = FixQuality(rawValue: Int(random.uniform(0...8.9)))
  epoch.altitude = value(0...500)
  epoch.geoidSeparation = value(0...50)
  epoch.speed = value(0...40)
  epoch.course = value(0...359)
  epoch.satellitesUsed = [nil, 0, 3, 12, -5, Int.max].randomElement(using: &random) ?? nil
  epoch.dilutionOfPrecision = DilutionOfPrecision(horizontal: value(0.5...3), vertical: value(0.5...3))
  epoch.errorStatistics = ErrorStatistics(latitude: value(1...9), longitude: value(1...9), altitude: value(1...9))
  epoch.horizontalAccuracy = value(1...9)
  epoch.verticalAccuracy = value(1...9)
  epoch.speedAccuracy = value(0.1...1)
  epoch.courseAccuracy = value(1...9)
  epoch.datumUncertainty = value(1...90)
  return epoch
}

@Test func `nothing but numbers comes out, whatever a stream says`() {
  for seed in 1...60 as ClosedRange<UInt64> {
    var random = SplitMix64(seed: seed)
    var filter = PositionFilter()
    var seconds = 0.0
    for _ in 0..<300 {
      // Small, zero, negative and very large steps.
      let steps: [Double] = [0.01, 0.2, 1, 1, 1, 1, 5, 0, -3, 40, 90_000]
      seconds += steps.randomElement(using: &random) ?? 1
      let epoch = wildEpoch(&random, at: max(0, seconds))
      let fix = filter.update(epoch)
      if epoch.coordinate != nil { #expect(fix != nil && fix?.isCoasted == false) }
      guard let fix else { continue }
      let figures = [
        fix.horizontalAccuracy, fix.altitude, fix.verticalAccuracy, fix.speed, fix.speedAccuracy, fix.course,
        fix.courseAccuracy, fix.geoidSeparation,
      ]
      #expect(figures.allSatisfy { $0.map { $0.isFinite } ?? true }, "\(fix)")
      #expect([fix.horizontalAccuracy, fix.verticalAccuracy ?? 0, fix.speedAccuracy ?? 0].allSatisfy { $0 >= 0 })
    }
  }
}

@Test func `after the worst stream a receiver is believed again`() throws {
  var random = SplitMix64(seed: 9)
  var filter = PositionFilter()
  for index in 0..<200 { _ = filter.update(wildEpoch(&random, at: Double(index))) }
  let course = Course()
  var last: Fix?
  for epoch in course.epochs(290).dropFirst(200) { last = filter.update(epoch) }
  #expect(try Course.distance(#require(last).coordinate, course.truth(after: 289)) < 5)
}

@Test func `a time that repeats or goes back gives the receiver's own position`() throws {
  var filter = PositionFilter()
  let epochs = Course(speed: 30).epochs(60)
  for epoch in epochs { _ = filter.update(epoch) }
  // A repeated epoch gives the same fix. A different position at the same time gives the position of the receiver.
  let last = try #require(epochs.last)
  let again = filter.update(last)
  #expect(again?.coordinate == last.coordinate)
  var other = last
  other.coordinate = Course.moved(last.coordinate, by: Offset(x: 70, y: 0))
  let elsewhere = filter.update(other)
  #expect(elsewhere?.coordinate == other.coordinate)
  let earlier = filter.update(epochs[10])
  #expect(earlier?.coordinate == epochs[10].coordinate)
}

@Test func `covariances stay covariances`() {
  for seed in 1...200 as ClosedRange<UInt64> {
    var random = SplitMix64(seed: seed)
    var hypothesis = Hypothesis(
      at: .zero, velocity: .zero, noise: random.uniform(0.01...100), sigma: random.uniform(0.1...10),
      velocityVariance: 100)
    for _ in 0..<500 {
      let sigma = random.uniform(0.1...10)
      hypothesis.predict(random.uniform(0.01...30), acceleration: random.uniform(0.01...30), sigma: sigma)
      let innovation = hypothesis.innovation(
        of: Offset(x: random.uniform(-100...100), y: 0), variance: random.uniform(0.01...1e4))
      hypothesis.update(innovation)
      #expect(hypothesis.isSound)
      let step = DopplerStep(
        displacement: .zero, variance: random.uniform(0...100), velocity: .zero,
        velocityVariance: random.uniform(0.0004...10))
      hypothesis.predict(random.uniform(0.01...30), by: step, sigma: sigma)
      #expect(hypothesis.isSound)
    }
  }
}
