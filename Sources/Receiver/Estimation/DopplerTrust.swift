/// A test of whether the velocities that the receiver reports are correct. (The receiver measures them by the Doppler
/// shift.) The test compares two models of the motion: one uses the velocities, and the other uses only the positions.
///
/// The score is twice the logarithm of the likelihood ratio of both models. A negative score means that the velocities
/// fit the positions. (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945)
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0

  /// Whether the model with the reported velocities predicts the positions better than the model without them. While
  /// the value is true, the filter rejects every position that the model with velocities rejects.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares how well both models have predicted one position, and updates the score.
  ///
  /// - Parameters:
  ///   - doppler: the difference between the measured position and the prediction of the model with reported
  ///     velocities.
  ///   - positions: the same difference for the model without reported velocities.
  ///   - said: the speed of the model with reported velocities in m/s; 0 if the comparison must ignore the speed.
  ///   - moved: the speed of the model without reported velocities in m/s.
  ///   - seconds: the time since the previous comparison.
  ///   - parameters: the constants of the filter.
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

  /// Sets a negative score to 0, so that earlier good predictions no longer count in favour of the reported velocities.
  mutating func forget() { score = max(0, score) }

  /// Trusts the reported velocities again, with a score of 0. If the velocities are already trusted, the call has no
  /// effect.
  mutating func regain() { if !isTrusted { (isTrusted, score) = (true, 0) } }

  /// Stops trusting the reported velocities, and sets the score to its maximum.
  mutating func lose(_ parameters: FilterParameters) { (isTrusted, score) = (false, parameters.distrust) }
}

/// A test for reported velocities with a wrong direction: the positions move as far as the velocities indicate, but in
/// another direction.
///
/// A reflected signal changes both the length and the direction of the measured displacement. A course that is frozen,
/// mirrored or reversed changes only the direction.
struct CourseContradiction: Hashable, Sendable {
  /// The recent displacement in metres according to the positions, as a vector. The weight of an old displacement
  /// decreases exponentially with its age.
  private var measured = Offset.zero
  /// The recent displacement in metres according to the reported velocities, with the same weights as `measured`.
  private var said = Offset.zero
  /// The recent length in metres of the path according to the reported velocities, with the same weights as `measured`.
  /// A path with turns is longer than its displacement.
  private var length = 0.0
  /// The seconds for which the positions and the reported velocities have had different directions.
  private var lasted = 0.0

  /// Adds the motion between two measurements. Returns whether the direction of the reported velocities is wrong.
  /// - Parameters:
  ///   - motion: the motion between the two measurements.
  ///   - sigma: the standard deviation of the receiver's position error in metres.
  ///   - parameters: the constants of the filter.
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
