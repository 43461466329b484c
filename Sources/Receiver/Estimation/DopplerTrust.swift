/// The trust in the Doppler velocities: a sequential test that compares the model with Doppler velocities and the model
/// without them.
///
/// The score is twice the logarithm of the likelihood ratio of both models. A negative score means that the Doppler
/// velocities fit the positions. (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945)
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0

  /// Whether the model with Doppler fits the positions better than the model without Doppler. In this case the filter
  /// rejects every position that the model with Doppler rejects.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares how well both models have predicted one position, and updates the score.
  ///
  /// - Parameters:
  ///   - doppler: the innovation of the model with Doppler.
  ///   - positions: the innovation of the model without Doppler.
  ///   - said: the speed of the model with Doppler in m/s; 0 if the comparison must ignore the speed.
  ///   - moved: the speed of the model without Doppler in m/s.
  mutating func compare(
    doppler: Innovation, positions: Innovation, said: Double, moved: Double, after seconds: Double,
    _ parameters: FilterParameters
  ) {
    // If both models reject the position, the position itself is wrong, and the models cannot be compared.
    guard min(doppler.squared, positions.squared) <= parameters.gate else { return }
    let evidence = (doppler.cost(gate: parameters.gate) - positions.cost(gate: parameters.gate)) * min(1, seconds)
    // At rest, even a faulty receiver reports the correct speed of 0. So the filter can test the velocities only during
    // motion.
    let speed = evidence < 0 ? said : max(said, moved - parameters.slowSpeed)
    score = max(
      -parameters.mostTrust, min(score + evidence * min(1, speed / parameters.fullSpeed), parameters.distrust))
    if isTrusted, score > parameters.trustLost { lose(parameters) }
    if !isTrusted, score < parameters.trustRegained { isTrusted = true }
  }

  /// Sets a negative score to 0. A negative score means that the Doppler velocities fit the positions.
  mutating func forget() { score = max(0, score) }

  /// Trusts the Doppler velocities with a score of 0, if the trust was lost.
  mutating func regain() { if !isTrusted { (isTrusted, score) = (true, 0) } }

  /// Ends the trust in the Doppler velocities, and sets the score to its maximum.
  mutating func lose(_ parameters: FilterParameters) { (isTrusted, score) = (false, parameters.distrust) }
}

/// The test for a wrong course of the Doppler velocities: the positions move as far as the Doppler velocities indicate,
/// but in another direction.
///
/// The growing error of a reflected signal changes both the length and the direction of the measured displacement. A
/// course that is frozen, mirrored or reversed changes only the direction.
struct CourseContradiction: Hashable, Sendable {
  /// The movement in metres that the receiver's positions show: the vector sum of the steps from each position to the
  /// next. The weight of an old step decreases exponentially with its age.
  private var measured = Offset.zero
  /// The movement in metres that follows from the Doppler velocities. Old steps have the same weights as in `measured`.
  private var said = Offset.zero
  /// The length in metres of the path that follows from the Doppler velocities. Old steps have the same weights as in
  /// `measured`.
  private var length = 0.0
  /// The time in seconds for which positions and Doppler velocities have contradicted each other.
  private var lasted = 0.0

  /// Adds the motion between two epochs, and returns whether the course is wrong.
  /// - Parameter sigma: the standard deviation of the receiver error in metres.
  mutating func add(_ motion: Motion, sigma: Double, _ parameters: FilterParameters) -> Bool {
    guard let way = motion.way, motion.seconds <= parameters.longestCourseStep else {
      self = CourseContradiction()
      return false
    }
    let kept = decay(after: motion.seconds, time: parameters.courseTime)
    measured = measured * kept + motion.displacement
    said = said * kept + way
    length = length * kept + way.length
    let difference = (measured - said).length
    let isContradiction =
      length > parameters.courseLeast
      && difference > max(parameters.courseShare * length, parameters.courseSigmas * sigma)
      && abs(measured.length - said.length) < parameters.courseSame * length
    lasted = isContradiction ? lasted + motion.seconds : 0
    return lasted >= parameters.courseLasted
  }
}
