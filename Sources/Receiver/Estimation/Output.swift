import GNSS

/// The output rule: the reported position and its accuracy.
extension HorizontalFilter {
  /// The receiver's own position, with the standard deviation that the receiver says.
  func receiversOwn(_ deviation: Double, _ parameters: FilterParameters) -> Estimate {
    Estimate(coordinate: nil, deviation: honest(deviation * deviation, parameters))
  }

  /// The position of a hypothesis. If the receiver insists on another position, its radius reaches that one.
  /// - Parameter deviation: standard deviation that the receiver says, metres. A filter removes its white part alone.
  func estimate(_ hypothesis: Hypothesis, _ deviation: Double, _ parameters: FilterParameters) -> Estimate {
    let deviation = honest(max(hypothesis.covariance.position, lasting(deviation)), parameters)
    let disagreement = alternatives.disagreement(with: hypothesis.position, parameters)
    return Estimate(
      coordinate: plane.coordinate(at: hypothesis.position),
      deviation: max(deviation, disagreement / AccuracyModel.radius68))
  }

  /// Variance of a position without the white part of its noise, m².
  private func lasting(_ deviation: Double) -> Double {
    let white = white.deviation ?? 0
    return max(0, deviation * deviation - white * white)
  }

  /// Returns the standard deviation of one axis, metres, for a position of the given variance, m².
  ///
  /// A receiver that has just found its first position errs by more than it says. So does one whose positions were far from
  /// the track lately: 68 % of them must be inside the circle of 68 %.
  private func honest(_ variance: Double, _ parameters: FilterParameters) -> Double {
    let said = (variance + settlingVariance(parameters)).squareRoot()
    guard residuals.count >= parameters.leastResiduals, let radius = residuals.quantile(0.68) else { return said }
    return max(said, radius / AccuracyModel.radius68)
  }

  /// Notes how far a measured position is from the hypothesis that leads, once a second.
  mutating func addResidual(_ observation: Observation) {
    sinceResidual += observation.seconds
    guard sinceResidual >= 0.95 else { return }
    sinceResidual = 0
    let leading = (trust.isTrusted ? doppler : nil) ?? positions
    residuals.add((observation.place - leading.position).length)
  }

  // MARK: Coasting

  /// A position and velocity that were reckoned without a measurement.
  struct Coasted: Hashable, Sendable {
    var coordinate: Coordinate
    /// Standard deviation of one axis: metres, and m/s.
    var deviation, velocityDeviation: Double
    /// m/s, and degrees from true north.
    var speed, course: Double
  }

  /// Reckons the position some seconds after the latest measurement; nil after the longest coasting time.
  func coasted(_ seconds: Double, _ parameters: FilterParameters) -> Coasted? {
    guard seconds >= 0, seconds <= parameters.longestCoasting else { return nil }
    let hypothesis = (trust.isTrusted ? doppler : nil) ?? positions
    let (speed, usual) = (hypothesis.velocity.length, parameters.coastingSpeeds)
    let ratio = min(1, speed / usual.lowerBound, usual.upperBound / max(speed, 1))
    let acceleration = max(parameters.leastCoastingAcceleration, parameters.coastingAcceleration * ratio * ratio)
    var covariance = hypothesis.covariance
    covariance.predict(seconds, acceleration: acceleration, decay: 1, error: 0)
    let (way, velocity) = manoeuvre.coasted(seconds, from: hypothesis.velocity, parameters)
    guard covariance.isSound, let coordinate = plane.coordinate(at: hypothesis.position + way) else { return nil }
    let known = max(hypothesis.covariance.position, lasting(deviations.value ?? 0))
    let variance = known + covariance.position - hypothesis.covariance.position
    return Coasted(
      coordinate: coordinate, deviation: honest(variance, parameters),
      velocityDeviation: covariance.velocity.squareRoot(), speed: velocity.length,
      course: plane.course(of: velocity, at: coordinate))
  }
}
