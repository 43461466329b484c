/// A second estimate of position and velocity (a hypothesis), which may replace the current estimate of the filter.
///
/// The filter starts the alternative at a measured position that does not fit the current estimate. Later positions
/// confirm the alternative or end it.
struct Alternative: Sendable {
  /// The second estimate of position and velocity, and the seconds since its start; nil if the latest position fitted
  /// the current estimate.
  private var later: (hypothesis: Hypothesis, age: Double)?
  /// The first position that the current estimate rejected, in metres, moved along the reported velocities since then;
  /// nil if a velocity is missing.
  private var path: Offset?
  /// Whether the latest measured position did not fit the second estimate.
  private var missed = false
  /// Whether the receiver has recovered from wrong positions. The value is true if the rejected positions have followed
  /// the reported velocities for the time `FilterParameters.recovered`, far from the current estimate.
  private(set) var isRecovery = false
  /// The velocity in m/s at the latest accepted position, and the seconds since this position.
  private var confirmed: (velocity: Offset, age: Double)

  /// Creates a value without a second estimate.
  /// - Parameter velocity: the velocity at the latest accepted position in m/s.
  init(velocity: Offset = .zero) { confirmed = (velocity, 0) }

  /// Moves the second estimate forward by some seconds, before the next measured position is compared with it.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, sigma: Double) {
    confirmed.age += seconds
    later?.age += seconds
    later?.hypothesis.predict(seconds, acceleration: acceleration, sigma: sigma)
    path = path.flatMap { path in step.map { path + $0.displacement } }
  }

  /// Compares a rejected position with the second estimate. The function starts a new second estimate if the position
  /// does not fit.
  ///
  /// - Parameter beginning: the new second estimate to use, which starts at the rejected position.
  /// - Returns: the second estimate, if it must replace the current estimate; nil otherwise.
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

  /// Converts all positions after the origin of their plane has moved. `origin` is the new origin, in metres from the
  /// old origin.
  mutating func move(to origin: Offset) {
    later?.hypothesis.move(to: origin)
    path = path.map { $0 - origin }
  }
}
