/// An alternative estimate of position and velocity, which can replace the filter's current estimate.
///
/// The alternative starts at a measured position that the filter rejects as an outlier. If later positions agree with
/// the alternative, the rejected positions were correct, and the filter uses the alternative.
struct Alternative: Sendable {
  /// The alternative estimate, and the seconds since its start; nil if the filter accepted the latest position.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The path of the vehicle from the first rejected position, according to the reported velocities: the latest point
  /// in metres. The value is nil if a velocity is missing.
  private var path: Offset?
  /// Whether the latest measured position disagreed with the alternative estimate. The next such position ends the
  /// alternative.
  private var missed = false
  /// Whether the rejected positions have followed the reported velocities for `FilterParameters.recovered` seconds. In
  /// this case, the receiver has recovered from wrong positions.
  private(set) var isRecovery = false
  /// The velocity in m/s at the latest accepted position, and the seconds since this position.
  private var confirmed: (velocity: Offset, age: Double)

  /// Creates a value without an alternative estimate.
  /// - Parameter velocity: the velocity in m/s at the latest position that the filter accepted.
  init(velocity: Offset = .zero) { confirmed = (velocity, 0) }

  /// Predicts the alternative estimate for the time of the next measurement.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, sigma: Double) {
    confirmed.age += seconds
    later?.age += seconds
    later?.hypothesis.predict(seconds, acceleration: acceleration, sigma: sigma)
    path = path.flatMap { path in step.map { path + $0.displacement } }
  }

  /// Compares a rejected position with the alternative estimate, and restarts the alternative if the position does not
  /// fit.
  ///
  /// - Parameter beginning: the estimate from which a restarted alternative begins.
  /// - Returns: the alternative estimate if the filter must use it; nil otherwise.
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

  /// Converts the stored positions to a plane with another origin. `origin` is the new origin, in metres from the old
  /// origin.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
    path = path.map { $0 - origin }
  }
}
