/// The test whether a receiver has recovered from a drift, so that its positions are right although the leading Doppler
/// hypothesis rejects them.
///
/// While the positions drift, they pull the hypothesis along a little. After the recovery the positions move as the
/// Doppler velocities say, but at a distance from the hypothesis. A reflection that comes or goes, or a single outlier,
/// does not do so for long.
struct Recovery: Sendable {
  /// The path that begins at a rejected position and follows the Doppler velocities; nil if there is none.
  private var path: Hypothesis?
  /// The times in seconds since the path began: now, and at the latest position on the path.
  private var (age, onPath) = (0.0, 0.0)

  mutating func predict(_ seconds: Double, by step: DopplerStep?, sigma: Double) {
    guard let step else { return path = nil }
    age += seconds
    path?.predict(seconds, by: step, sigma: sigma)
  }

  /// Uses a position that the leading hypothesis has rejected.
  ///
  /// - Returns: a hypothesis that begins at the position, if the receiver has recovered.
  mutating func reject(
    _ observation: Observation, _ leading: Hypothesis, sigma: Double, _ parameters: FilterParameters
  ) -> Hypothesis? {
    let beginning = Hypothesis(
      at: observation.position, velocity: leading.velocity, noise: observation.variance, sigma: sigma,
      velocityVariance: 1)
    let distance = leading.innovation(of: observation.position, variance: 0).offset.length
    if let miss = path?.innovation(of: observation.position, variance: observation.variance),
      miss.squared <= parameters.gate, miss.offset.length <= parameters.recoveredShare * distance
    {
      onPath = age
      return age >= parameters.recovered ? beginning : nil
    }
    // A single outlier does not end the path.
    if path == nil || age - onPath > parameters.recoveredGap { (path, age, onPath) = (beginning, 0, 0) }
    return nil
  }

  /// Converts the state to a plane whose origin is at a different point.
  mutating func move(to origin: Offset) { path?.move(to: origin) }
}
