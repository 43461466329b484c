import Glibc

/// The motion between two epochs, as measured by the Doppler velocities of both epochs.
struct DopplerStep: Hashable, Sendable {
  /// The displacement in metres.
  var displacement: Offset
  /// The variance of the displacement along one axis in m².
  var variance: Double
  /// The velocity at the second epoch in m/s.
  var velocity: Offset
  /// The variance of the velocity along one axis in m²/s².
  var velocityVariance: Double
}

/// The difference between a measured position and the position that a hypothesis has predicted.
struct Innovation: Hashable, Sendable {
  /// The difference in metres.
  let offset: Offset
  /// The variances along one axis in m²: `predicted` for the prediction, `measured` for the measurement.
  let predicted, measured: Double

  /// The variance of the innovation along one axis in m².
  var variance: Double { predicted + measured }

  /// The normalised innovation squared (NIS). The distribution of this value is chi-square with two degrees of freedom.
  var squared: Double { offset.squared / variance }

  /// Returns the variance of the noise with which an outlier updates a hypothesis. With this variance, the weight of an
  /// outlier decreases with its distance.
  func noise(at gate: Double) -> Double { offset.squared / gate }

  /// Returns twice the negative logarithm of the likelihood, without its constant part. If the normalised innovation
  /// squared is larger than `gate`, the function uses `gate` instead.
  func cost(gate: Double) -> Double { min(squared, gate) + 2 * log(variance) }
}

/// One hypothesis about the motion. The hypothesis is a Kalman filter for position, velocity and receiver error in a
/// plane.
///
/// The state of an axis is [p, v, b]. A measured position is p + b + white noise. The receiver error b is a first-order
/// Gauss–Markov process. Both axes have the same noise, so the hypothesis needs only one covariance. (Y. Bar-Shalom, X.
/// R. Li, T. Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001: chapter 5, and section 6.2.2
/// for the model of constant velocity)
struct Hypothesis: Hashable, Sendable {
  /// The time constant of the receiver error in seconds. (In 311 tracks of phones, the autocorrelation is 0.9 after 1 s
  /// and 0.6 after 10 s.)
  private static let errorTime = 60.0

  private(set) var position: Offset
  private(set) var velocity: Offset
  private var error = Offset.zero
  /// The elements of the covariance matrix of [p, v, b] for one axis, in m², m²/s and m²/s².
  private var pp, pv, pb, vv, vb, bb: Double

  /// The variance of the position along one axis in m².
  var positionVariance: Double { pp }
  /// The variance of the velocity along one axis in m²/s².
  var velocityVariance: Double { vv }
  /// The covariance of position and velocity along one axis in m²/s.
  var covariance: Double { pv }

  /// Creates a hypothesis from one measured position.
  ///
  /// - Parameters:
  ///   - noise: the variance of the measured position in m². This variance does not include the receiver error.
  ///   - sigma: the standard deviation of the receiver error in metres.
  ///   - velocityVariance: the variance of the velocity along one axis in m²/s².
  init(at position: Offset, velocity: Offset, noise: Double, sigma: Double, velocityVariance: Double) {
    (self.position, self.velocity) = (position, velocity)
    let error = sigma * sigma
    (pp, pv, pb, vv, vb, bb) = (noise + error, 0, -error, velocityVariance, 0, error)
  }

  /// Whether all numbers are finite and the covariance is valid. Hostile input or rounding errors can make the numbers
  /// invalid.
  var isSound: Bool {
    (position.squared + velocity.squared + error.squared + pp + vv + bb).isFinite
      && pp > 0 && vv > 0 && bb > 0 && pp * vv > pv * pv
      && pb * pb <= pp * bb * (1 + 1e-9) && vb * vb <= vv * bb * (1 + 1e-9)
  }

  // MARK: Prediction

  /// Predicts the state for a time some seconds ahead. The model is a constant velocity, with white noise as
  /// acceleration.
  /// - Parameters:
  ///   - acceleration: the power spectral density of the acceleration in m²/s³.
  ///   - sigma: the standard deviation of the receiver error along one axis in metres.
  mutating func predict(_ seconds: Double, acceleration: Double, sigma: Double) {
    let squared = seconds * seconds
    position = position + velocity * seconds
    pp += seconds * (2 * pv + seconds * vv) + acceleration * squared * seconds / 3
    pb += seconds * vb
    pv += seconds * vv + acceleration * squared / 2
    vv += acceleration * seconds
    forget(sigma, after: seconds)
  }

  /// Predicts the state by dead reckoning. The Doppler step is the input of the process. The prediction does not use
  /// the previous velocity.
  mutating func predict(_ seconds: Double, by step: DopplerStep, sigma: Double) {
    (position, velocity) = (position + step.displacement, step.velocity)
    pp += step.variance
    (pv, vv, vb) = (0, step.velocityVariance, 0)
    forget(sigma, after: seconds)
  }

  /// Predicts the state along the Doppler step, or with a constant velocity if there is no step.
  mutating func predict(_ seconds: Double, by step: DopplerStep?, acceleration: Double, sigma: Double) {
    guard let step else { return predict(seconds, acceleration: acceleration, sigma: sigma) }
    predict(seconds, by: step, sigma: sigma)
  }

  private mutating func forget(_ sigma: Double, after seconds: Double) {
    let kept = decay(after: seconds, time: Self.errorTime)
    error = error * kept
    (pb, vb, bb) = (kept * pb, kept * vb, kept * kept * bb + (1 - kept * kept) * sigma * sigma)
  }

  // MARK: Update

  /// The variance in m² of a predicted measurement. A measurement is the sum of the position and the receiver error.
  private var predicted: Double { max(0, pp + 2 * pb + bb) }

  /// Returns the innovation of a measured position. The parameter `variance` is the variance of the white noise in m².
  func innovation(of measured: Offset, variance: Double) -> Innovation {
    Innovation(offset: measured - position - error, predicted: predicted, measured: variance)
  }

  /// Updates the state with an innovation.
  ///
  /// - Parameter noise: the variance of the noise in m²; nil for the variance `measured` of the innovation.
  mutating func update(_ innovation: Innovation, noise: Double? = nil) {
    let (p, v, b, variance) = (pp + pb, pv + vb, pb + bb, predicted + (noise ?? innovation.measured))
    let gain = (p: p / variance, v: v / variance, b: b / variance)
    position = position + innovation.offset * gain.p
    velocity = velocity + innovation.offset * gain.v
    error = error + innovation.offset * gain.b
    (pp, pv, pb) = (pp - gain.p * p, pv - gain.p * v, pb - gain.p * b)
    (vv, vb, bb) = (vv - gain.v * v, vb - gain.v * b, bb - gain.b * b)
  }

  /// Copies the position and the receiver error from the other hypothesis. The velocity does not change.
  mutating func adoptPosition(of other: Hypothesis) {
    (position, error, pp, pb, bb) = (other.position, other.error, other.pp, other.pb, other.bb)
    (pv, vb) = (0, 0)
  }

  mutating func set(velocity: Offset) { self.velocity = velocity }

  /// Converts the state to a plane whose origin is at the point `origin` of the present plane.
  mutating func move(to origin: Offset) { position = position - origin }
}

/// Returns the fraction of a quantity that remains after some seconds of exponential decay. Both arguments are in
/// seconds.
func decay(after seconds: Double, time: Double) -> Double { exp(-seconds / time) }
