/// A candidate to replace the leading hypothesis. The candidate begins at a position that the leading hypothesis has
/// rejected, and uses the positions after it.
struct Alternative: Sendable {
  /// The hypothesis and the seconds since it began; nil if the latest position was accepted.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The seconds since the latest accepted position; 0 while positions are accepted.
  private var rejected = 0.0
  /// The latest accepted position in metres, the velocity there in m/s, and the seconds since that position.
  private var confirmed: (place: Offset, velocity: Offset, age: Double)

  /// - Parameters:
  ///   - place: the accepted place, metres.
  ///   - velocity: m/s.
  init(at place: Offset, velocity: Offset = .zero) { confirmed = (place, velocity, 0) }

  /// Predicts the hypothesis a number of seconds ahead: by a Doppler step if one is available, otherwise by constant
  /// velocity.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, error: ReceiverError) {
    confirmed.age += seconds
    later?.age += seconds
    if let step {
      later?.hypothesis.predict(seconds, by: step, error: error)
    } else {
      later?.hypothesis.predict(seconds, acceleration: acceleration, error: error)
    }
  }

  /// Records a rejected position.
  ///
  /// - Parameters:
  ///   - beginning: the hypothesis that begins at the position.
  ///   - dopplerLeads: whether the hypothesis with Doppler velocities has proved better than the one without.
  /// - Returns: the hypothesis that becomes the leading one, if the rejected positions are confirmed; otherwise nil.
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

  /// Returns whether a vehicle could drive from the latest accepted place to another place, within the limits of
  /// acceleration and distance.
  private func couldBeDriven(to place: Offset, _ velocity: Offset, _ parameters: FilterParameters) -> Bool {
    let change = (velocity - confirmed.velocity).length
    let way = (velocity + confirmed.velocity) * (confirmed.age / 2)
    return change <= parameters.drivenAcceleration * confirmed.age
      && (place - confirmed.place - way).length <= parameters.drivenSlack + parameters.drivenShare * change
        * confirmed.age
  }

  /// Converts the hypothesis to a plane with another origin.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
    confirmed.place = confirmed.place - origin
  }
}
