/// How well position, velocity and receiver error are known along one axis: a symmetric matrix of 3 × 3, in m², m²/s and
/// m²/s². Both horizontal axes have the same, since their noise is taken to be the same.
struct AxisCovariance: Hashable, Sendable {
  private(set) var position, positionVelocity, positionError, velocity, velocityError, error: Double

  /// One measurement of position is all that is known: what it errs by may be the receiver's error as well as noise.
  /// - Parameters:
  ///   - noise: variance of what is no receiver error, m².
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

  /// How much of the state a difference between measurement and prediction is worth.
  struct Gain: Hashable, Sendable {
    var position, velocity, error: Double
  }

  /// The variance with which position + receiver error is predicted, m².
  var reported: Double { max(0, position + 2 * positionError + error) }

  /// Whether it still is a covariance: hostile input and rounding end here.
  var isSound: Bool {
    let minor = position * velocity - positionVelocity * positionVelocity
    return position.isFinite && velocity.isFinite && error.isFinite && position > 0 && velocity > 0 && error > 0
      && minor > 0
      && positionError * positionError <= position * error * (1 + 1e-9)
      && velocityError * velocityError <= velocity * error * (1 + 1e-9)
  }

  /// Moves on in time: constant velocity with white acceleration, and an error that is a first-order Gauss–Markov process.
  /// - Parameters:
  ///   - seconds: how long.
  ///   - acceleration: power spectral density, m²/s³.
  ///   - decay: what is left of the receiver error, 0...1.
  ///   - error: variance of the receiver error in the long run, m².
  mutating func predict(_ seconds: Double, acceleration: Double, decay: Double, error longRun: Double) {
    let squared = seconds * seconds
    position += seconds * (2 * positionVelocity + seconds * velocity) + acceleration * squared * seconds / 3
    positionError = decay * (positionError + seconds * velocityError)
    positionVelocity += seconds * velocity + acceleration * squared / 2
    velocity += acceleration * seconds
    velocityError *= decay
    error = decay * decay * error + (1 - decay * decay) * longRun
  }

  /// Position + receiver error was measured.
  mutating func observePosition(variance: Double) -> Gain {
    let shared = Gain(
      position: position + positionError, velocity: positionVelocity + velocityError, error: positionError + error)
    return take(shared, total: reported + variance)
  }

  /// Velocity was measured.
  mutating func observeVelocity(variance: Double) -> Gain {
    take(Gain(position: positionVelocity, velocity: velocity, error: velocityError), total: velocity + variance)
  }

  /// - Parameters:
  ///   - shared: covariance of each part of the state with the measurement.
  ///   - total: variance of the measurement about its prediction.
  private mutating func take(_ shared: Gain, total: Double) -> Gain {
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
