/// A hypothesis that may replace the leading hypothesis. (A hypothesis is an estimate of position and velocity.) The
/// alternative begins at a position that the leading hypothesis has rejected, and uses the positions after it.
struct Alternative: Sendable {
  /// The alternative hypothesis, and the seconds since the hypothesis began; nil if the latest position was accepted.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The seconds since the latest accepted position. The value is 0 while the hypotheses accept the positions.
  private var rejected = 0.0
  /// The latest accepted position in metres, the velocity at this position in m/s, and the seconds since this position.
  private var confirmed: (place: Offset, velocity: Offset, age: Double)

  /// - Parameters:
  ///   - place: the accepted position in metres.
  ///   - velocity: the velocity at this position in m/s.
  init(at place: Offset, velocity: Offset = .zero) { confirmed = (place, velocity, 0) }

  /// Predicts the hypothesis for a time some seconds ahead. If the Doppler velocities provide the motion since the
  /// previous epoch, the prediction uses this motion. Otherwise the prediction assumes a constant velocity.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, error: ReceiverError) {
    confirmed.age += seconds
    later?.age += seconds
    if let step {
      later?.hypothesis.predict(seconds, by: step, error: error)
    } else {
      later?.hypothesis.predict(seconds, acceleration: acceleration, error: error)
    }
  }

  /// Records a position that the leading hypothesis has rejected.
  ///
  /// - Parameters:
  ///   - beginning: the hypothesis that begins at the position.
  ///   - dopplerLeads: whether the hypothesis with Doppler velocities fits the positions better than the hypothesis
  ///     without Doppler velocities.
  /// - Returns: the new leading hypothesis, if the rejected positions are confirmed; nil if they are not confirmed.
  mutating func reject(
    _ observation: Observation, beginning: Hypothesis, dopplerLeads: Bool, _ parameters: FilterParameters
  ) -> Hypothesis? {
    rejected += observation.seconds
    var next = later ?? (beginning, 0)
    let innovation = next.hypothesis.innovation(of: observation.place, variance: observation.variance)
    if later == nil || innovation.squared > parameters.gate {
      next = (beginning, 0)
    } else {
      next.hypothesis.update(innovation)
    }
    later = next
    let agreed = dopplerLeads ? parameters.agreedAgainstDoppler : parameters.agreed
    let longest = dopplerLeads ? parameters.agreedAgainstDoppler + 2 : parameters.longestRejection
    let isRight =
      next.age >= agreed || rejected > longest
      || !dopplerLeads && next.age >= parameters.drivenTime
        && couldBeDriven(to: observation.place, next.hypothesis.velocity, parameters)
    return isRight ? next.hypothesis : nil
  }

  /// Returns whether a vehicle could drive from the latest accepted position to the given place, within the limits of
  /// acceleration and distance.
  private func couldBeDriven(to place: Offset, _ velocity: Offset, _ parameters: FilterParameters) -> Bool {
    let change = (velocity - confirmed.velocity).length
    let way = (velocity + confirmed.velocity) * (confirmed.age / 2)
    return change <= parameters.drivenAcceleration * confirmed.age
      && (place - confirmed.place - way).length <= parameters.drivenSlack + parameters.drivenShare * change
        * confirmed.age
  }

  /// Converts the state to a plane whose origin is at a different place.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
    confirmed.place = confirmed.place - origin
  }
}
