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
    // Normally the code deducts a multiple of the white noise from the residuals. But if the reported deviation is
    // smaller than the white noise, the reported deviation is wrong, and the code deducts nothing.
    let white = white.deviation ?? 0
    let noise = deviation > white ? parameters.residualWhite * white : 0
    return Estimate(
      coordinate: plane.coordinate(at: hypothesis.position),
      deviation: honest(
        max(hypothesis.positionVariance, parameters.lastingShare * deviation * deviation), residualNoise: noise))
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
    let deviation = radius / AccuracyModel.radius68
    return max(reported, max(0, deviation * deviation - residualNoise * residualNoise).squareRoot())
  }

  // MARK: Coasting

  /// A position and a velocity that the filter has predicted by dead reckoning, because no measurement has arrived.
  struct Coasted: Hashable, Sendable {
    var coordinate: Coordinate
    /// The standard deviations along one axis: `deviation` of the position in metres, and `velocityDeviation` of the
    /// velocity in m/s.
    var deviation, velocityDeviation: Double
    /// The speed in m/s, and the course in degrees from true north.
    var speed, course: Double
  }

  /// Returns the position for a time some seconds after the latest measurement, by dead reckoning. Returns nil if the
  /// maximum coasting time has passed.
  func coasted(_ seconds: Double) -> Coasted? {
    guard seconds >= 0, seconds <= parameters.longestCoasting else { return nil }
    var hypothesis = leading
    let known = hypothesis.positionVariance
    let (speed, usual) = (hypothesis.velocity.length, parameters.coastingSpeeds)
    let ratio = min(1, speed / usual.lowerBound, usual.upperBound / max(speed, 1))
    let acceleration = max(parameters.leastCoastingAcceleration, parameters.coastingAcceleration * ratio * ratio)
    let (way, velocity) = manoeuvre.coasted(seconds, from: hypothesis.velocity, parameters)
    guard let coordinate = plane.coordinate(at: hypothesis.position + way) else { return nil }
    hypothesis.predict(seconds, acceleration: acceleration, sigma: sigma)
    let variance = hypothesis.positionVariance + max(0, parameters.lastingShare * sigma * sigma - known)
    return Coasted(
      coordinate: coordinate, deviation: honest(variance, residualNoise: 0),
      velocityDeviation: hypothesis.velocityVariance.squareRoot(), speed: velocity.length,
      course: plane.course(of: velocity, at: coordinate))
  }
}
