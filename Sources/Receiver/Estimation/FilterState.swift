package import GNSS

/// The state of the position filter after one measurement, for the prediction of later positions. For example, an app
/// gets the predicted position at the instant of a press of the button.
package struct FilterState: Hashable, Sendable {
  /// A predicted position, some seconds after the latest measurement.
  package struct Prediction: Hashable, Sendable {
    package let coordinate: Coordinate
    /// The radius in metres of the circle that contains the true position in 68 % of all cases.
    package let horizontalAccuracy: Double
    /// The speed in m/s.
    package let speed: Double
    /// The course in degrees from true north.
    let course: Double
    /// The standard deviation of the predicted velocity in m/s, along one axis.
    package let velocityDeviation: Double
  }

  let plane: Plane
  /// The reported position in metres and the velocity in m/s, as vectors in `plane`.
  let position, velocity: Offset
  let manoeuvre: Manoeuvre
  /// The variance of the position in m², the covariance of position and velocity in m²/s, and the variance of the
  /// velocity in m²/s². All three are along one axis.
  let variance, covariance, velocityVariance: Double
  /// The maximum speed in m/s of the vehicle if its velocity is too inaccurate for a prediction: the reported speed, or
  /// `FilterParameters.unknownVelocity` without a usable speed.
  let fastest: Double
  /// The uncertainty of the receiver's geodetic datum in metres; nil if the receiver uses WGS 84. With a probability of
  /// 68 %, the position on WGS 84 is at most this distance from the reported position.
  var datum: Double?

  /// Returns the predicted position some seconds after the fix, with the radius of its 68 % circle. Returns nil if the
  /// position is not finite.
  ///
  /// The prediction assumes that the vehicle keeps its speed, and turns by a limited angle. The variance grows by 2
  /// P(p,v) t + P(v) t² + q t³/3: the covariance of the filter, and the acceleration that no measurement has shown
  /// yet. (Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2)
  ///
  /// If the error of the velocity is larger than the speed, the prediction keeps the position, and the radius grows by
  /// speed · time. If the receiver sends no speed either, the assumed speed is 50 m/s (180 km/h). Road vehicles and
  /// most trains are slower.
  ///
  /// - Parameter seconds: the time since the arrival of the fix (`Fix.arrived`), 0 or more. A predicted fix has the
  ///   arrival time of the latest measurement.
  package func prediction(after seconds: Double, _ parameters: FilterParameters = .standard) -> Prediction? {
    let seconds = max(0, seconds)
    let (speed, usual) = (velocity.length, parameters.coastingSpeeds)
    let ratio = min(1, speed / usual.lowerBound, usual.upperBound / speed)
    let acceleration = max(parameters.leastCoastingAcceleration, parameters.coastingAcceleration * ratio * ratio)
    let (way, end) = manoeuvre.coasted(seconds, from: velocity, parameters)
    let isUnknown = AccuracyModel.radius68 * velocityVariance.squareRoot() > fastest
    let growth = isUnknown ? 0 : 2 * max(0, covariance) + seconds * velocityVariance
    let later = variance + seconds * (growth + acceleration * seconds * seconds / 3)
    let radius = AccuracyModel.radius(of: later.squareRoot(), datum: datum)
    guard let coordinate = plane.coordinate(at: isUnknown ? position : position + way) else { return nil }
    return Prediction(
      coordinate: coordinate,
      horizontalAccuracy: isUnknown ? AccuracyModel.roundedUp(radius + fastest * seconds) : radius,
      speed: end.length, course: plane.course(of: end, at: coordinate),
      velocityDeviation: (velocityVariance + acceleration * seconds).squareRoot())
  }
}
