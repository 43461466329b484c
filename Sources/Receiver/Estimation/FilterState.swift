package import GNSS

/// The state of the filter at one measurement: position, velocity and covariance. From the state, the filter predicts
/// positions of the next seconds, for example the position at the instant of a press of the button, or the positions
/// while no measurement arrives.
package struct FilterState: Hashable, Sendable {
  /// A position that was computed by dead reckoning.
  package struct Prediction: Hashable, Sendable {
    package let coordinate: Coordinate
    /// The radius in metres of the circle that contains the true position in 68 % of all cases.
    package let horizontalAccuracy: Double
    /// The speed in m/s, and the course in degrees from true north.
    let speed, course: Double
    /// The standard deviation of the velocity along one axis in m/s.
    let velocityDeviation: Double
  }

  let plane: Plane
  /// The reported position in metres and the velocity in m/s, both in the plane.
  let position, velocity: Offset
  let manoeuvre: Manoeuvre
  /// The variances of position (m²) and velocity (m²/s²), and the covariance of both (m²/s), along one axis. `variance`
  /// corresponds to the reported accuracy.
  let variance, covariance, velocityVariance: Double
  /// The speed in m/s that the receiver reports. If the receiver reports no usable speed, the value is
  /// `unknownVelocity` of the parameters.
  let fastest: Double
  /// The uncertainty of the receiver's datum in metres: with a probability of 68 %, the position on WGS 84 is at most
  /// this distance from the reported position; nil if the receiver uses WGS 84.
  var datum: Double?
  /// The time in seconds from this state to the fix that was predicted from this state. The value is 0, unless the
  /// receiver has repeated an old position.
  var age = 0.0

  /// Returns the position at an instant after the fix, with the radius of its 68 % circle.
  ///
  /// The prediction assumes that the vehicle keeps its velocity, and turns by a limited angle. The variance grows by 2
  /// P(p,v) t + P(v) t² + q t³/3: the filter's own covariance, and the manoeuvre that no measurement has shown yet.
  /// (Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2)
  ///
  /// After the first position, the velocity is unknown, or inaccurate if the receiver sends a speed without a course.
  /// If the radius of the velocity's error is larger than the speed, the prediction keeps the position, and the radius
  /// of the position grows by the product of speed and time. If the receiver sends no speed either, the speed is 50 m/s
  /// (180 km/h), since road vehicles and most trains are slower. From the second position on, the filter knows the
  /// velocity better than that.
  ///
  /// - Parameter seconds: the time since the arrival of the fix (`Fix.arrived`), 0 or more. The arrival of a coasted
  ///   fix is the arrival of the latest measurement.
  package func prediction(after seconds: Double, _ parameters: FilterParameters = .standard) -> Prediction? {
    let seconds = max(0, seconds) + age
    let (speed, usual) = (velocity.length, parameters.coastingSpeeds)
    let ratio = min(1, speed / usual.lowerBound, usual.upperBound / max(speed, 1))
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
