/// A test of whether the velocities that the receiver reports are correct. (The receiver measures velocities by the
/// Doppler shift.) The test compares two models of the motion: one uses the velocities, and the other uses only the
/// positions.
///
/// The score is twice the logarithm of the likelihood ratio of both models. A negative score means that the velocities
/// fit the positions. (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945)
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0

  /// Whether the model with the reported velocities predicts the positions better than the model without velocities.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares how well two models of the motion have predicted a position, and updates the score of the reported
  /// velocities.
  ///
  /// - Parameters:
  ///   - doppler: the error of the prediction with the reported velocities.
  ///   - positions: the error of the prediction without velocities.
  ///   - said: the speed in m/s in the model with the reported velocities; 0 if the comparison must ignore the speed.
  ///   - moved: the speed in m/s in the model without velocities.
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

  /// Resets a good (negative) score of the reported velocities to 0.
  mutating func forget() { score = max(0, score) }

  /// Marks the reported velocities as trusted again, with a score of 0. If the velocities are already trusted, the call
  /// has no effect.
  mutating func regain() { if !isTrusted { (isTrusted, score) = (true, 0) } }

  /// Marks the reported velocities as not trusted, with the worst (maximum) score.
  mutating func lose(_ parameters: FilterParameters) { (isTrusted, score) = (false, parameters.distrust) }
}

/// A test for reported velocities with a wrong direction: the positions move as far as the velocities indicate, but in
/// another direction.
///
/// A reflected signal changes both the length and the direction of the measured displacement. A course that is frozen,
/// mirrored or reversed changes only the direction.
struct CourseContradiction: Hashable, Sendable {
  /// The recent displacement vector in metres, according to the positions. The weight of a displacement decreases
  /// exponentially with its age.
  private var measured = Offset.zero
  /// The recent displacement vector in metres, according to the reported velocities. The weight of a displacement
  /// decreases exponentially with its age.
  private var said = Offset.zero
  /// The length in metres of the recent path, according to the reported velocities. The weight of each section of the
  /// path decreases exponentially with its age.
  private var length = 0.0
  /// The seconds for which the positions and the reported velocities have had different directions.
  private var lasted = 0.0

  /// Adds the motion between two measurements. Returns true if the reported velocities have had a wrong direction for
  /// `FilterParameters.courseLasted` seconds.
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
