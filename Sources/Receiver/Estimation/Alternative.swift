/// A hypothesis that may replace the leading hypothesis. (A hypothesis is an estimate of position and velocity.) The
/// alternative begins at a position that the leading hypothesis has rejected, and uses the later positions.
struct Alternative: Sendable {
  /// The alternative hypothesis, and the seconds since the hypothesis began; nil if the latest position was accepted.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The first position of the hypothesis, moved along the Doppler velocities; nil if a velocity is missing.
  private var path: Offset?
  /// Whether the latest position did not fit the alternative hypothesis.
  private var missed = false
  /// Whether the rejected positions show that the receiver has recovered from wrong positions: for the time
  /// `FilterParameters.recovered`, the positions have moved along the Doppler velocities, far from the leading
  /// hypothesis.
  private(set) var isRecovery = false
  /// The velocity at the latest accepted position in m/s, and the seconds since this position.
  private var confirmed: (velocity: Offset, age: Double)

  /// - Parameter velocity: the velocity at the latest accepted position in m/s.
  init(velocity: Offset = .zero) { confirmed = (velocity, 0) }

  /// Predicts the alternative hypothesis for a time some seconds ahead, with a constant velocity.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, sigma: Double) {
    confirmed.age += seconds
    later?.age += seconds
    later?.hypothesis.predict(seconds, acceleration: acceleration, sigma: sigma)
    path = path.flatMap { path in step.map { path + $0.displacement } }
  }

  /// Handles a position that the leading hypothesis has rejected.
  ///
  /// - Parameter beginning: a new hypothesis that begins at the position.
  /// - Returns: the alternative hypothesis, if the rejected positions are confirmed; nil if they are not confirmed.
  mutating func reject(
    _ observation: Observation, beginning: Hypothesis, _ leading: Hypothesis, usesDoppler: Bool,
    _ parameters: FilterParameters
  ) -> Hypothesis? {
    let position = observation.position
    let innovation = later?.hypothesis.innovation(of: position, variance: observation.variance)
    if let innovation, innovation.squared <= parameters.gate {
      later?.hypothesis.update(innovation)
      missed = false
    } else if path != nil, !missed {
      // A single outlier does not end the hypothesis.
      missed = true
      return nil
    } else {
      (later, missed) = ((beginning, 0), false)
      path = usesDoppler ? position : nil
    }
    guard let later else { return nil }
    let change = (later.hypothesis.velocity - confirmed.velocity).length
    let reach = parameters.recoveredShare * (position - leading.position).length
    isRecovery = later.age >= parameters.recovered && path.map { (position - $0).length <= reach } ?? false
    let isConfirmed =
      later.age >= parameters.agreed || confirmed.age > parameters.longestGap
      || !usesDoppler && later.age >= parameters.drivenTime && change <= parameters.drivenAcceleration * confirmed.age
    return isConfirmed ? later.hypothesis : nil
  }

  /// Converts the state to a plane whose origin is at the point `origin` of the present plane.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
    path = path.map { $0 - origin }
  }
}
