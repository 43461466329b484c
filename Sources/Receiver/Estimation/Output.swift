import GNSS

/// The part of the filter that computes the accuracy of a position and the state for predictions.
extension HorizontalFilter {
  /// Returns an estimate that stands for the receiver's own position. `deviation` is the receiver's own standard
  /// deviation in metres; the result may have a larger one.
  func receiversOwn(_ deviation: Double) -> Estimate {
    Estimate(coordinate: nil, deviation: honest(deviation * deviation, residualNoise: 0))
  }

  /// Returns the position of one of the filter's estimates, with a realistic accuracy.
  ///
  /// - Parameter deviation: the standard deviation of the measured position in metres, as the receiver reports it.
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

  /// Returns a realistic standard deviation of an estimated position in metres, along one axis. The result is larger
  /// than √`variance` shortly after the receiver's start, and after measured positions far from the estimate.
  ///
  /// - Parameters:
  ///   - variance: the variance of the estimated position in m².
  ///   - residualNoise: the noise in the distances between measured positions and the estimate, in metres along one
  ///     axis. The function subtracts this noise from the distances.
  private func honest(_ variance: Double, residualNoise: Double) -> Double {
    let reported = (variance + settlingVariance).squareRoot()
    guard residuals.count >= parameters.leastResiduals, let radius = residuals.quantile(parameters.residualShare)
    else { return reported }
    let deviation = (resting.mean == nil ? parameters.residualScale : 1) * radius / AccuracyModel.radius68
    return max(reported, max(0, deviation * deviation - residualNoise * residualNoise).squareRoot())
  }

  /// Returns the state of the filter at the latest measurement, for the prediction of later positions.
  ///
  /// - Parameter estimate: the reported position and its accuracy. If the estimate has no position, the state contains
  ///   the position of the measurement.
  func state(_ estimate: Estimate) -> FilterState {
    let speed = trust.isTrusted ? latest.speed : nil
    return FilterState(
      plane: plane, position: plane.offset(of: estimate.coordinate ?? latest.coordinate), velocity: leading.velocity,
      manoeuvre: manoeuvre, variance: estimate.deviation * estimate.deviation, covariance: leading.covariance,
      velocityVariance: leading.velocityVariance, fastest: speed ?? parameters.unknownVelocity)
  }
}
