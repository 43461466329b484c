/// The hypotheses beside the leading one: the motion without a doubtful position, and the motion that begins at a rejected
/// position.
struct Alternatives: Sendable {
  private struct Aged: Sendable {
    var hypothesis: Hypothesis
    /// Seconds since the hypothesis began.
    var age = 0.0
  }

  /// The leading hypothesis before it used a doubtful position.
  private var earlier: Aged?
  /// The hypothesis that began at a rejected position and accepts those after it.
  private var later: Aged?
  /// Seconds of rejected positions in a row.
  private(set) var rejected = 0.0
  /// The latest accepted place, metres, the velocity there, m/s, and the seconds since.
  private var confirmed: (place: Offset, velocity: Offset, age: Double)

  init(at place: Offset, velocity: Offset = .zero) { confirmed = (place, velocity, 0) }

  mutating func predict(_ seconds: Double, by step: DopplerStep?, sigma: Double, _ parameters: FilterParameters) {
    confirmed.age += seconds
    earlier?.age += seconds
    later?.age += seconds
    earlier?.hypothesis.predict(seconds, by: step, sigma: sigma, parameters)
    later?.hypothesis.predict(seconds, by: step, sigma: sigma, parameters)
  }

  /// Notes an accepted place.
  mutating func accept(_ place: Offset, velocity: Offset) {
    (rejected, later) = (0, nil)
    confirmed = (place, velocity, 0)
  }

  /// Distance of a place from the positions that are rejected although they agree with each other, metres; 0 if none do.
  func disagreement(with place: Offset, _ parameters: FilterParameters) -> Double {
    guard let later, later.age >= parameters.agreed else { return 0 }
    return (later.hypothesis.position - place).length
  }

  // MARK: The motion without a doubtful position

  /// Returns the earlier hypothesis, updated, if it accepts a place that the leading one rejects.
  ///
  /// A hypothesis that has become too uncertain accepts anything: it may not be much less certain than the leading one.
  mutating func earlier(
    accepting place: Offset, variance: Double, insteadOf leading: Innovation, _ parameters: FilterParameters
  ) -> (hypothesis: Hypothesis, innovation: Innovation)? {
    guard var hypothesis = earlier?.hypothesis else { return nil }
    let innovation = hypothesis.innovation(of: place, variance: variance)
    guard innovation.squared <= parameters.doubt,
      innovation.variance <= parameters.mostUncertainty * leading.variance
    else { return nil }
    hypothesis.update(innovation)
    return (hypothesis, innovation)
  }

  /// Keeps the leading hypothesis as it is before it uses a doubtful position.
  mutating func keep(_ leading: Hypothesis, isDoubtful: Bool, _ parameters: FilterParameters) {
    if let age = earlier?.age, age > parameters.doubtTime { earlier = nil }
    if isDoubtful, earlier == nil || rejected == 0 { earlier = Aged(hypothesis: leading) }
  }

  // MARK: The motion that begins at a rejected position

  /// The circumstances in which a position was rejected.
  struct Rejection {
    let place: Offset
    let seconds, variance, sigma: Double
    /// The step of Doppler, if Doppler is believed.
    let step: DopplerStep?
    /// The velocity of the hypothesis that does not use Doppler, m/s.
    let velocity: Offset
    /// Whether Doppler has proved better than the positions.
    let dopplerLeads: Bool
  }

  /// Notes a rejected place.
  /// - Returns: the hypothesis that takes over, because the rejected positions are right; nil as long as they are not.
  mutating func reject(_ rejection: Rejection, _ parameters: FilterParameters) -> Hypothesis? {
    rejected += rejection.seconds
    let later = continued(rejection, parameters)
    self.later = later
    let agreed = later.age >= (rejection.dopplerLeads ? parameters.agreedAgainstDoppler : parameters.agreed)
    let insisted =
      rejected > (rejection.dopplerLeads ? parameters.agreedAgainstDoppler + 2 : parameters.longestRejection)
    let driven = !rejection.dopplerLeads && couldBeDriven(to: later, at: rejection.place, parameters)
    return agreed || insisted || driven ? later.hypothesis : nil
  }

  private func continued(_ rejection: Rejection, _ parameters: FilterParameters) -> Aged {
    if var later {
      let innovation = later.hypothesis.innovation(of: rejection.place, variance: rejection.variance)
      if innovation.squared <= parameters.gate {
        later.hypothesis.update(innovation)
        return later
      }
    }
    let unknown = parameters.unknownVelocity
    return Aged(
      hypothesis: Hypothesis(
        at: rejection.place, velocity: rejection.step?.velocity ?? rejection.velocity, noise: rejection.variance,
        sigma: rejection.sigma, velocityVariance: rejection.step == nil ? unknown * unknown : 1))
  }

  /// Whether a vehicle could drive from the latest accepted place to a hypothesis: within its acceleration, and so far.
  private func couldBeDriven(to later: Aged, at place: Offset, _ parameters: FilterParameters) -> Bool {
    guard later.age >= parameters.drivenTime else { return false }
    let (seconds, velocity) = (confirmed.age, later.hypothesis.velocity)
    let change = (velocity - confirmed.velocity).length
    let way = (velocity + confirmed.velocity) * (seconds / 2)
    return change <= parameters.drivenAcceleration * seconds
      && (place - confirmed.place - way).length <= parameters.drivenSlack + parameters.drivenShare * change * seconds
  }

  /// Expresses the hypotheses in another plane.
  mutating func move(to origin: Offset, turned: (Offset) -> Offset) {
    earlier?.hypothesis.move(to: origin, turned: turned)
    later?.hypothesis.move(to: origin, turned: turned)
    confirmed = (turned(confirmed.place - origin), turned(confirmed.velocity), confirmed.age)
  }
}
