import GNSS

/// The rules that determine the reported position and its accuracy.
extension HorizontalFilter {
  /// Returns the receiver's own position. The standard deviation of the result is not smaller than the standard
  /// deviation that the receiver reports. Both standard deviations are in metres.
  func receiversOwn(_ deviation: Double) -> Estimate {
    Estimate(coordinate: nil, deviation: honest(deviation * deviation, residualNoise: 0))
  }

  /// Returns the position of a hypothesis, with a realistic accuracy.
  ///
  /// - Parameter deviation: the standard deviation in metres that the receiver reports.
  func estimate(_ hypothesis: Hypothesis, _ deviation: Double) -> Estimate {
    // Normally the code deducts a multiple of the white noise from the residuals, since a filter removes this noise.
    // But if the reported deviation is smaller than the white noise, the reported deviation is wrong, and the code
    // deducts nothing. The code also deducts nothing for a receiver at rest if successive fixes do not have the same
    // position.
    let white = white.deviation ?? 0
    let share = resting.mean == nil ? parameters.residualWhite : isAtRest ? parameters.restWhite : 0
    return Estimate(
      coordinate: plane.coordinate(at: hypothesis.position),
      deviation: honest(hypothesis.positionVariance, residualNoise: deviation > white ? share * white : 0))
  }

  /// Returns a realistic standard deviation along one axis in metres, for a position with the given variance in m².
  ///
  /// The actual error of a receiver is larger than this variance in two cases: shortly after the first position, and if
  /// recent positions were far from the track.
  ///
  /// - Parameter residualNoise: the part of the residuals that comes from noise and not from inaccuracy, in metres
  ///   along one axis.
  private func honest(_ variance: Double, residualNoise: Double) -> Double {
    let reported = (variance + settlingVariance).squareRoot()
    guard residuals.count >= parameters.leastResiduals, let radius = residuals.quantile(parameters.residualShare)
    else { return reported }
    let deviation = (resting.mean == nil ? parameters.residualScale : 1) * radius / AccuracyModel.radius68
    return max(reported, max(0, deviation * deviation - residualNoise * residualNoise).squareRoot())
  }

  /// Returns the state at the latest measurement.
  ///
  /// - Parameter estimate: the reported position and its accuracy. If the estimate has no position, the position is that
  ///   of the measurement.
  func state(_ estimate: Estimate) -> FilterState {
    let speed = trust.isTrusted ? latest.speed : nil
    return FilterState(
      plane: plane, position: plane.offset(of: estimate.coordinate ?? latest.coordinate), velocity: leading.velocity,
      manoeuvre: manoeuvre, variance: estimate.deviation * estimate.deviation, covariance: leading.covariance,
      velocityVariance: leading.velocityVariance, fastest: speed ?? parameters.unknownVelocity)
  }
}
