/// The trust in the Doppler velocities: a sequential test between the model with Doppler and the model without Doppler.
///
/// The score is twice the logarithm of the likelihood ratio of both models. Negative values are evidence for Doppler.
/// (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945) Each loss of trust doubles the evidence that is
/// required to regain the trust, because the fault of a receiver recurs.
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0
  /// The score after the next loss of trust, and its upper limit.
  private var most: Double

  init(_ parameters: FilterParameters) { most = parameters.distrust }

  /// Whether Doppler has proved better, so that the other model may not accept a position that Doppler rejects.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares the innovations of one position.
  ///
  /// - Parameters:
  ///   - doppler: the innovation of the model with Doppler.
  ///   - positions: the innovation of the model without Doppler.
  ///   - said: speed of the model with Doppler, m/s; 0 if the speed must not count.
  ///   - moved: speed of the model without Doppler, m/s.
  mutating func compare(
    doppler: Innovation, positions: Innovation, said: Double, moved: Double, after seconds: Double,
    _ parameters: FilterParameters
  ) {
    // If both models reject the position, the position is wrong.
    guard min(doppler.squared, positions.squared) <= parameters.gate else { return }
    let evidence = (doppler.cost(gate: parameters.gate) - positions.cost(gate: parameters.gate)) * min(1, seconds)
    // A speed of 0 is correct for every receiver at rest, even for a faulty one. Only motion proves velocities.
    let speed = evidence < 0 ? said : max(said, moved - parameters.slowSpeed)
    score = max(-parameters.mostTrust, min(score + evidence * min(1, speed / parameters.fullSpeed), most))
    if isTrusted, score > parameters.trustLost { lose(parameters) }
    if !isTrusted, score < parameters.trustRegained { isTrusted = true }
  }

  /// Discards the evidence for Doppler.
  mutating func forget() { score = max(0, score) }

  /// Ends the trust.
  ///
  /// - Parameter isCourseWrong: whether the course is known to be wrong. In this case the trust ends for a longer time.
  mutating func lose(isCourseWrong: Bool = false, _ parameters: FilterParameters) {
    isTrusted = false
    score = min((isCourseWrong ? 4 : 1) * most, parameters.mostDistrust)
    most = min(2 * score, parameters.mostDistrust)
  }
}

/// The test for a wrong course: the positions move as far as the Doppler velocities, but in another direction.
///
/// A growing reflection changes both the length and the direction of the way. A frozen, mirrored or reversed course
/// changes only the direction.
struct CourseContradiction: Hashable, Sendable {
  /// Metres, with exponential forgetting: way of the positions, way of the velocities, and length of the way of the
  /// velocities.
  private var measured = Offset.zero
  private var said = Offset.zero
  private var length = 0.0
  /// Duration of the contradiction, seconds.
  private var lasted = 0.0

  /// Adds the motion between two epochs, and returns whether the course is wrong.
  /// - Parameter sigma: standard deviation of the receiver error, metres.
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
