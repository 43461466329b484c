/// Whether the Doppler velocities are believed: a sequential test between the model that uses them and the model that does
/// not.
///
/// The score is twice the logarithm of the likelihood ratio of both models; negative values speak for Doppler. (A. Wald,
/// "Sequential Tests of Statistical Hypotheses", 1945). Each loss of trust doubles the evidence that regains it: the fault
/// of a receiver comes back.
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0
  /// The score after the next loss of trust, and its upper limit.
  private var most: Double

  init(_ parameters: FilterParameters) { most = parameters.distrust }

  /// Whether Doppler has proved better, so that the other model may not accept a position that Doppler rejects.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares the innovations of one position.
  /// - Parameters:
  ///   - doppler: the innovation of the model that uses Doppler.
  ///   - positions: the innovation of the model that does not.
  ///   - said: speed by which the model that uses Doppler moves, m/s; 0 if it must not count.
  ///   - moved: speed of the model that does not use Doppler, m/s.
  mutating func compare(
    doppler: Innovation, positions: Innovation, said: Double, moved: Double, after seconds: Double,
    _ parameters: FilterParameters
  ) {
    // If both reject the position, the position is wrong.
    guard min(doppler.squared, positions.squared) <= parameters.gate else { return }
    let evidence = (doppler.cost(gate: parameters.gate) - positions.cost(gate: parameters.gate)) * min(1, seconds)
    // A speed of 0 is right for a receiver at rest, whatever is wrong with it: only motion proves velocities.
    let speed = evidence < 0 ? said : max(said, moved - parameters.slowSpeed)
    score = max(-parameters.mostTrust, min(score + evidence * min(1, speed / parameters.fullSpeed), most))
    if isTrusted, score > parameters.trustLost { lose(parameters) }
    if !isTrusted, score < parameters.trustRegained { isTrusted = true }
  }

  /// Forgets what has spoken for Doppler.
  mutating func forget() { score = max(0, score) }

  /// Ends the trust.
  /// - Parameter isCourseWrong: whether the course is known to be wrong; then the trust ends for longer.
  mutating func lose(isCourseWrong: Bool = false, _ parameters: FilterParameters) {
    isTrusted = false
    score = min((isCourseWrong ? 4 : 1) * most, parameters.mostDistrust)
    most = min(2 * score, parameters.mostDistrust)
  }
}

/// Whether the positions go as far as the Doppler velocities say, but elsewhere: the course is wrong.
///
/// A reflection that grows changes the length of the way as well as its direction. A course that is frozen, mirrored or
/// reversed changes its direction alone.
struct CourseContradiction: Hashable, Sendable {
  /// Metres, with exponential forgetting: way of the positions, way of the velocities, and length of the latter.
  private var measured = Offset.zero
  private var said = Offset.zero
  private var length = 0.0
  /// Seconds for which the contradiction has lasted.
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
