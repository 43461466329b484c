import Glibc

/// The motion between two measurements, computed from the velocities that the receiver reports.
struct DopplerStep: Hashable, Sendable {
  /// The displacement in metres since the previous measurement.
  var displacement: Offset
  /// The variance of the displacement in m², along one axis.
  var variance: Double
  /// The velocity in m/s at the end of the motion.
  var velocity: Offset
  /// The variance of the velocity in m²/s², along one axis.
  var velocityVariance: Double
}

/// The innovation of a Kalman filter: the difference between a measured position and the predicted position.
struct Innovation: Hashable, Sendable {
  /// The difference in metres, from the predicted position to the measured position.
  let offset: Offset
  /// The variances of the predicted position and of the measured position, in m² along one axis.
  let predicted, measured: Double

  /// The variance of the difference in m², along one axis.
  var variance: Double { predicted + measured }

  /// The normalised innovation squared (NIS): the squared difference divided by its variance. The value has a
  /// chi-square distribution with two degrees of freedom.
  var squared: Double { offset.squared / variance }

  /// Returns the variance in m² that an outlier gets in the update of the filter. A farther outlier gets a larger
  /// variance, so the outlier has less weight. `gate` is the limit of `squared` for an outlier.
  func noise(at gate: Double) -> Double { offset.squared / gate }

  /// Returns minus twice the log-likelihood of the measured position, without its constant term. `gate` limits
  /// `squared`, so that an outlier has a limited cost.
  func cost(gate: Double) -> Double { min(squared, gate) + 2 * log(variance) }
}

/// A Kalman filter in a plane. The state contains the position, the velocity, and the slowly changing error of the
/// receiver's positions. The position filter runs several of these filters, each with another model of the motion.
///
/// The state of an axis is [p, v, b]. A measured position is p + b + white noise. The receiver error b is a first-order
/// Gauss–Markov process. Both axes have the same noise, so the hypothesis needs only one covariance. (Y. Bar-Shalom,
/// X. R. Li, T. Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001: chapter 5, and section
/// 6.2.2 for the model of constant velocity)
struct Hypothesis: Hashable, Sendable {
  /// The time constant in seconds of the receiver's position error, which changes slowly. (In 311 tracks of phones, the
  /// autocorrelation is 0.9 after 1 s and 0.6 after 10 s.)
  private static let errorTime = 60.0

  private(set) var position: Offset
  private(set) var velocity: Offset
  private var error = Offset.zero
  /// The elements of the covariance matrix for one axis, in m², m²/s and m²/s². The letters mean position (p),
  /// velocity (v) and the slowly changing receiver error (b).
  private var pp, pv, pb, vv, vb, bb: Double

  /// The variance of the position in m², along one axis.
  var positionVariance: Double { pp }
  /// The variance of the velocity in m²/s², along one axis.
  var velocityVariance: Double { vv }
  /// The covariance of position and velocity in m²/s, along one axis.
  var covariance: Double { pv }

  /// Creates a Kalman filter that starts at one measured position.
  ///
  /// - Parameters:
  ///   - position: the position in the plane in metres.
  ///   - velocity: the velocity in m/s.
  ///   - noise: the variance of the position's white noise in m². This variance does not include the receiver error.
  ///   - sigma: the standard deviation of the receiver error in metres.
  ///   - velocityVariance: the variance of the velocity in m²/s², along one axis.
  init(at position: Offset, velocity: Offset, noise: Double, sigma: Double, velocityVariance: Double) {
    (self.position, self.velocity) = (position, velocity)
    let error = sigma * sigma
    (pp, pv, pb, vv, vb, bb) = (noise + error, 0, -error, velocityVariance, 0, error)
  }

  /// Whether all numbers are finite and the covariance matrix is valid. Wrong input or rounding errors can make the
  /// numbers invalid.
  var isSound: Bool {
    (position.squared + velocity.squared + error.squared + pp + vv + bb).isFinite
      && pp > 0 && vv > 0 && bb > 0 && pp * vv > pv * pv
      && pb * pb <= pp * bb * (1 + 1e-9) && vb * vb <= vv * bb * (1 + 1e-9)
  }

  // MARK: Prediction

  /// Predicts the state some seconds later, with a constant velocity and white noise as acceleration.
  /// - Parameters:
  ///   - acceleration: the power spectral density of the acceleration in m²/s³.
  ///   - sigma: the standard deviation of the receiver error in metres, along one axis.
  mutating func predict(_ seconds: Double, acceleration: Double, sigma: Double) {
    let squared = seconds * seconds
    position = position + velocity * seconds
    pp += seconds * (2 * pv + seconds * vv) + acceleration * squared * seconds / 3
    pb += seconds * vb
    pv += seconds * vv + acceleration * squared / 2
    vv += acceleration * seconds
    forget(sigma, after: seconds)
  }

  /// Predicts the state some seconds later by dead reckoning. The function adds the displacement of `step` to the
  /// position, and replaces the velocity with the velocity of `step`.
  mutating func predict(_ seconds: Double, by step: DopplerStep, sigma: Double) {
    (position, velocity) = (position + step.displacement, step.velocity)
    pp += step.variance
    (pv, vv, vb) = (0, step.velocityVariance, 0)
    forget(sigma, after: seconds)
  }

  /// Predicts the state some seconds later by dead reckoning with the motion `step`. If `step` is nil, the function
  /// assumes a constant velocity.
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

  /// The variance of a predicted measurement in m². A measurement is the sum of the position and the receiver error.
  private var predicted: Double { max(0, pp + 2 * pb + bb) }

  /// Returns the difference between a measured and the predicted position. `variance` is the variance of the
  /// measurement's white noise in m².
  func innovation(of measured: Offset, variance: Double) -> Innovation {
    Innovation(offset: measured - position - error, predicted: predicted, measured: variance)
  }

  /// Corrects the state by a measurement (the update step of the Kalman filter).
  ///
  /// - Parameter noise: the variance of the measurement's noise in m²; nil for the variance that the innovation
  ///   contains.
  mutating func update(_ innovation: Innovation, noise: Double? = nil) {
    let (p, v, b, variance) = (pp + pb, pv + vb, pb + bb, predicted + (noise ?? innovation.measured))
    let gain = (p: p / variance, v: v / variance, b: b / variance)
    position = position + innovation.offset * gain.p
    velocity = velocity + innovation.offset * gain.v
    error = error + innovation.offset * gain.b
    (pp, pv, pb) = (pp - gain.p * p, pv - gain.p * v, pb - gain.p * b)
    (vv, vb, bb) = (vv - gain.v * v, vb - gain.v * b, bb - gain.b * b)
  }

  /// Copies the position and the receiver error (the slowly changing position error) from another Kalman filter.
  mutating func adoptPosition(of other: Hypothesis) {
    (position, error, pp, pb, bb) = (other.position, other.error, other.pp, other.pb, other.bb)
    (pv, vb) = (0, 0)
  }

  mutating func set(velocity: Offset) { self.velocity = velocity }

  /// Converts the position to a plane with another origin. `origin` is the new origin, in metres from the old origin.
  mutating func move(to origin: Offset) { position = position - origin }
}

/// Returns the fraction of a quantity that remains after exponential decay. `seconds` is the elapsed time, and `time`
/// is the time constant in seconds.
func decay(after seconds: Double, time: Double) -> Double { exp(-seconds / time) }
