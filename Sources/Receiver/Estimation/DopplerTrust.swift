/// The trust in the Doppler velocities: a sequential test between the model with Doppler and the model without Doppler.
///
/// The score is twice the logarithm of the likelihood ratio of both models. Negative values are evidence for Doppler.
/// (A. Wald, "Sequential Tests of Statistical Hypotheses", 1945) Each loss of trust doubles the evidence that is
/// required to regain the trust, because the fault of a receiver recurs.
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0
  /// The score that the next loss of trust will set, which is also the maximum score.
  private var most: Double

  init(_ parameters: FilterParameters) { most = parameters.distrust }

  /// Whether the model with Doppler has proved better, so that the other model cannot accept a position that this model
  /// rejects.
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
    // At rest, even a faulty receiver reports the correct speed of 0. So only motion is evidence about the velocities.
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
/// The growing error of a reflected signal changes both the length and the direction of the measured way. A frozen,
/// mirrored or reversed course changes only the direction.
struct CourseContradiction: Hashable, Sendable {
  /// The way of the positions, metres, with exponential forgetting.
  private var measured = Offset.zero
  /// The way of the Doppler velocities, metres, with exponential forgetting.
  private var said = Offset.zero
  /// The sum of the lengths of the Doppler steps, metres, with exponential forgetting.
  private var length = 0.0
  /// The time for which the contradiction has lasted, seconds.
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
