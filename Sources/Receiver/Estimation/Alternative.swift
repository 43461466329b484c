/// A hypothesis that may replace the leading hypothesis. (A hypothesis is an estimate of position and velocity.) The
/// alternative begins at a position that the leading hypothesis has rejected, and uses the positions after it.
struct Alternative: Sendable {
  /// The alternative hypothesis, and the seconds since the hypothesis began; nil if the latest position was accepted.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The velocity at the latest accepted position in m/s, and the seconds since this position.
  private var confirmed: (velocity: Offset, age: Double)

  /// - Parameter velocity: the velocity at the latest accepted position in m/s.
  init(velocity: Offset = .zero) { confirmed = (velocity, 0) }

  /// Predicts the hypothesis for a time some seconds ahead, with a constant velocity.
  mutating func predict(_ seconds: Double, acceleration: Double, sigma: Double) {
    confirmed.age += seconds
    later?.age += seconds
    later?.hypothesis.predict(seconds, acceleration: acceleration, sigma: sigma)
  }

  /// Uses a position that the leading hypothesis has rejected.
  ///
  /// - Parameter beginning: the hypothesis that begins at the position.
  /// - Returns: the alternative hypothesis, if the rejected positions are confirmed; nil if they are not confirmed.
  mutating func reject(
    _ observation: Observation, beginning: Hypothesis, usesDoppler: Bool, _ parameters: FilterParameters
  ) -> Hypothesis? {
    let innovation = later?.hypothesis.innovation(of: observation.position, variance: observation.variance)
    if let innovation, innovation.squared <= parameters.gate {
      later?.hypothesis.update(innovation)
    } else {
      later = (beginning, 0)
    }
    guard let later else { return nil }
    let change = (later.hypothesis.velocity - confirmed.velocity).length
    let isConfirmed =
      later.age >= parameters.agreed || confirmed.age > parameters.longestGap
      || !usesDoppler && later.age >= parameters.drivenTime && change <= parameters.drivenAcceleration * confirmed.age
    return isConfirmed ? later.hypothesis : nil
  }

  /// Converts the state to a plane whose origin is at a different point.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
  }
}
