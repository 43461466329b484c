/// The covariance of position, velocity and receiver error along one axis: a symmetric 3 × 3 matrix, in m², m²/s and m²/s².
struct AxisCovariance: Hashable, Sendable {
  private(set) var position, positionVelocity, positionError, velocity, velocityError, error: Double

  /// The covariance after one measured position, whose error is the receiver error and noise.
  /// - Parameters:
  ///   - noise: variance of the noise, m².
  ///   - error: variance of the receiver error, m².
  ///   - velocity: variance of the velocity, m²/s².
  init(noise: Double, error: Double, velocity: Double) {
    position = noise + error
    positionVelocity = 0
    positionError = -error
    self.velocity = velocity
    velocityError = 0
    self.error = error
  }

  /// The Kalman gain: the change of the state for each unit of innovation.
  struct Gain: Hashable, Sendable {
    var position, velocity, error: Double
  }

  /// Variance of position + receiver error, m²: the prediction of a measured position.
  var reported: Double { max(0, position + 2 * positionError + error) }

  /// Whether the matrix is a covariance: it may not be after hostile input or rounding.
  var isSound: Bool {
    let minor = position * velocity - positionVelocity * positionVelocity
    return position.isFinite && velocity.isFinite && error.isFinite && position > 0 && velocity > 0 && error > 0
      && minor > 0
      && positionError * positionError <= position * error * (1 + 1e-9)
      && velocityError * velocityError <= velocity * error * (1 + 1e-9)
  }

  /// Predicts by constant velocity with white acceleration; the receiver error is a first-order Gauss–Markov process.
  /// - Parameters:
  ///   - seconds: time since the last state.
  ///   - acceleration: power spectral density, m²/s³.
  ///   - decay: share of the receiver error that is left, 0...1.
  ///   - longRun: variance of the receiver error in the long run, m².
  mutating func predict(_ seconds: Double, acceleration: Double, decay: Double, error longRun: Double) {
    let squared = seconds * seconds
    position += seconds * (2 * positionVelocity + seconds * velocity) + acceleration * squared * seconds / 3
    positionError = decay * (positionError + seconds * velocityError)
    positionVelocity += seconds * velocity + acceleration * squared / 2
    velocity += acceleration * seconds
    velocityError *= decay
    error = decay * decay * error + (1 - decay * decay) * longRun
  }

  /// Predicts by a measured displacement, which tells nothing of the velocity before it.
  /// - Parameters:
  ///   - displacement: variance of the displacement, m².
  ///   - velocity: variance of the new velocity, m²/s².
  ///   - decay: share of the receiver error that is left, 0...1.
  ///   - longRun: variance of the receiver error in the long run, m².
  mutating func predict(displacement: Double, velocity: Double, decay: Double, error longRun: Double) {
    position += displacement
    positionError *= decay
    (positionVelocity, velocityError) = (0, 0)
    self.velocity = velocity
    error = decay * decay * error + (1 - decay * decay) * longRun
  }

  /// Adds the effect of an unknown constant acceleration.
  /// - Parameters:
  ///   - variance: of the acceleration, m²/s⁴.
  ///   - seconds: how long it lasted.
  mutating func addAcceleration(variance: Double, over seconds: Double) {
    let squared = seconds * seconds
    position += variance * squared * squared / 4
    positionVelocity += variance * squared * seconds / 2
    velocity += variance * squared
  }

  /// Takes over the knowledge of position and receiver error, which is then independent of the velocity.
  mutating func adoptPosition(of other: AxisCovariance) {
    (position, positionError, error) = (other.position, other.positionError, other.error)
    (positionVelocity, velocityError) = (0, 0)
  }

  /// Updates with a measurement of position + receiver error, and returns the Kalman gain.
  /// - Parameter variance: of the measurement, m².
  mutating func observePosition(variance: Double) -> Gain {
    let total = reported + variance
    let shared = Gain(
      position: position + positionError, velocity: positionVelocity + velocityError, error: positionError + error)
    let gain = Gain(position: shared.position / total, velocity: shared.velocity / total, error: shared.error / total)
    position -= gain.position * shared.position
    positionVelocity -= gain.position * shared.velocity
    positionError -= gain.position * shared.error
    velocity -= gain.velocity * shared.velocity
    velocityError -= gain.velocity * shared.error
    error -= gain.error * shared.error
    return gain
  }
}
