import Testing

@testable import Estimation

private func observation(_ position: Offset) -> Observation {
  Observation(
    position: position, seconds: 1, deviation: 1, step: nil, speed: nil, white: 1, usual: 1, variance: 1)
}

private func hypothesis(at position: Offset, velocity: Offset = .zero) -> Hypothesis {
  Hypothesis(at: position, velocity: velocity, noise: 1, sigma: 1, velocityVariance: 1)
}

extension Alternative {
  fileprivate mutating func pass(_ seconds: Double, step: DopplerStep? = nil) {
    predict(seconds, by: step, acceleration: 1, sigma: 1)
  }

  /// Returns whether the filter must use the alternative estimate after a rejected position. The filter's own estimate
  /// is at the origin.
  fileprivate mutating func takesOver(_ position: Offset, velocity: Offset = .zero, usesDoppler: Bool) -> Bool {
    reject(
      observation(position), beginning: hypothesis(at: position, velocity: velocity), hypothesis(at: .zero),
      usesDoppler: usesDoppler, .standard) != nil
  }
}

/// A case: whether the receiver sends velocities, the seconds from the last accepted position to the first rejected
/// one, the seconds for which the rejected positions agree, and their speed in m/s. The last accepted speed is 0.
@Test(
  arguments: [
    (false, 0, 0.9, 0, true), (false, 0, 0.8, 0, false), (false, 0, 1, 12, true), (false, 0, 1, 12.1, false),
    (true, 0, 0.9, 0, false), (true, 0, 3, 0, true), (true, 0, 2.9, 0, false), (true, 6, 0.5, 0, false),
    (true, 6.1, 0.5, 0, true),
  ] as [(Bool, Double, Double, Double, Bool)])
func `rejected positions are right after 3 s, after a gap of 6.5 s, or without velocities after 0.9 s`(
  hasVelocities: Bool, gap: Double, seconds: Double, speed: Double, areRight: Bool
) {
  let (start, velocity) = (Offset(x: 100, y: 0), Offset(x: speed, y: 0))
  var alternative = Alternative()
  alternative.pass(gap)
  let first = alternative.takesOver(start, velocity: velocity, usesDoppler: hasVelocities)
  #expect(!first)
  alternative.pass(seconds)
  let second = alternative.takesOver(start + velocity * seconds, usesDoppler: hasVelocities)
  #expect(second == areRight)
}

/// A case: the seconds for which the positions follow the velocities, and the distance in metres from the path along
/// the velocities. The distance from the filter's estimate is 100 m.
@Test(arguments: [(4, 25, true), (3.9, 25, false), (4, 25.1, false)] as [(Double, Double, Bool)])
func `a receiver has recovered if positions follow its velocities for 4 s, within a quarter of their distance`(
  seconds: Double, distance: Double, hasRecovered: Bool
) {
  let position = Offset(x: 100, y: 0)
  var alternative = Alternative()
  let first = alternative.takesOver(position, usesDoppler: true)
  #expect(!first && !alternative.isRecovery)
  let way = DopplerStep(
    displacement: Offset(x: distance, y: 0), variance: 100, velocity: .zero, velocityVariance: 1)
  alternative.pass(seconds, step: way)
  _ = alternative.takesOver(position, usesDoppler: true)
  #expect(alternative.isRecovery == hasRecovered)
}

@Test(arguments: [(1, true), (2, false)])
func `one outlier among rejected positions does not end their agreement, and two in a row do`(
  outliers: Int, agree: Bool
) {
  let still = DopplerStep(displacement: .zero, variance: 1, velocity: .zero, velocityVariance: 1)
  var alternative = Alternative()
  var result = false
  for second in 0...3 {
    if second > 0 { alternative.pass(1, step: still) }
    let isOutlier = (1...outliers).contains(second)
    result = alternative.takesOver(Offset(x: isOutlier ? 5000 : 100, y: 0), usesDoppler: true)
  }
  #expect(result == agree)
}
